package io.seckill.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.load.copy.SaleAdmin.Books;
import io.seckill.load.copy.SaleAdmin.ProductBooks;
import io.seckill.load.copy.SaleAdmin.ShardBooks;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private static final int STOCK = 100;

    /** Who was told what: a hundred bought, fifty came too late. */
    private long accepted = STOCK;

    private long rejected;
    private long noResult;
    private long emptyHanded = 50;
    private long gaveUp;
    private String crowd = "spike";
    private boolean isLimited;
    private boolean generatorWasTheLimit;
    private List<String> breached = List.of();

    /** What the books say. */
    private long liveOrders = STOCK;

    private long unitsLeft;
    private long duplicates;
    private long oversold;
    private long lost;
    private List<String> differences = List.of();

    @Test
    void run_whose_books_are_what_the_crowd_was_told_holds() {
        Verdict verdict = verdict();
        assertThat(verdict.holds()).isTrue();
        assertThat(verdict).isEqualTo(new Verdict(0, 0, 0, 0, true, List.of()));
    }

    @Test
    void one_duplicate_order_breaks_a_run() {
        liveOrders++;
        duplicates = 1;
        oversold = 1;
        differences = List.of("A4 product 1: 1 users with more than one order or reservation");
        Verdict verdict = verdict();
        assertThat(verdict.duplicates()).isEqualTo(1);
        assertThat(verdict.oversold()).isEqualTo(1);
        assertThat(verdict.broken()).anyMatch(each -> each.startsWith("1 users bought"));
    }

    @Test
    void one_lost_order_breaks_a_run_also_when_the_books_do_not_miss_it() {
        liveOrders--;
        unitsLeft = 1;
        Verdict verdict = verdict();
        assertThat(verdict.lost()).isEqualTo(1);
        assertThat(verdict.balanced()).isTrue();
        assertThat(verdict.broken()).anyMatch(each -> each.startsWith("1 accepted attempts are"));
    }

    @Test
    void reservation_that_can_become_no_order_breaks_a_run() {
        liveOrders--;
        lost = 1;
        differences = List.of("Q2 product 1: 1 reservations without an order");
        Verdict verdict = verdict();
        assertThat(verdict.lost()).isEqualTo(1);
        assertThat(verdict.broken()).containsAll(differences);
    }

    @Test
    void promise_beyond_the_stock_breaks_a_run_whatever_the_books_say() {
        accepted++;
        Verdict verdict = verdict();
        assertThat(verdict.oversold()).isEqualTo(1);
        assertThat(verdict.holds()).isFalse();
    }

    @Test
    void promise_that_was_taken_back_with_a_word_is_neither_sold_nor_lost() {
        accepted++;
        rejected = 1;
        assertThat(verdict().holds()).isTrue();
    }

    @Test
    void order_whose_answer_was_lost_on_its_way_breaks_nothing() {
        accepted--;
        assertThat(verdict().holds()).isTrue();
    }

    @Test
    void unit_left_while_a_buyer_went_away_without_one_breaks_a_run() {
        accepted--;
        liveOrders--;
        unitsLeft = 1;
        Verdict verdict = verdict();
        assertThat(verdict.undersold()).isEqualTo(1);
        assertThat(verdict.holds()).isFalse();
    }

    @Test
    void units_left_that_nobody_wanted_break_nothing() {
        accepted = 40;
        liveOrders = 40;
        unitsLeft = 60;
        emptyHanded = 0;
        assertThat(verdict().holds()).isTrue();
    }

    @Test
    void unit_left_while_a_buyer_gave_up_is_not_undersold_and_still_a_fault() {
        unitLeftByOneWhoGaveUp();
        Verdict verdict = verdict();
        assertThat(verdict.undersold()).isZero();
        assertThat(verdict.broken()).singleElement().asString().contains("gave up");
    }

    @Test
    void unit_left_by_a_limit_that_somebody_lowered_meanwhile_breaks_nothing() {
        unitLeftByOneWhoGaveUp();
        isLimited = true;
        assertThat(verdict().holds()).isTrue();
    }

    @Test
    void unit_left_by_the_limit_of_a_storm_breaks_nothing() {
        unitLeftByOneWhoGaveUp();
        crowd = "retry-storm";
        assertThat(verdict().holds()).isTrue();
    }

    private void unitLeftByOneWhoGaveUp() {
        accepted--;
        liveOrders--;
        unitsLeft = 1;
        emptyHanded = 0;
        gaveUp = 1;
    }

    @Test
    void accepted_attempt_without_a_final_word_breaks_a_run() {
        noResult = 1;
        assertThat(verdict().holds()).isFalse();
    }

    @Test
    void generator_that_was_the_limit_breaks_a_run_and_is_named() {
        generatorWasTheLimit = true;
        assertThat(verdict().broken())
                .singleElement()
                .asString()
                .startsWith("the generator was the limit");
    }

    @Test
    void breached_threshold_breaks_a_run_whose_books_are_right() {
        breached = List.of("attempt_time is not p(99)<500");
        assertThat(verdict().broken()).isEqualTo(breached);
    }

    @Test
    void books_that_do_not_balance_break_a_run_with_their_own_sentence() {
        differences = List.of("A3 product 1, shard 0: sold 51, live orders 50");
        assertThat(verdict().broken())
                .contains("the books do not balance")
                .containsAll(differences);
    }

    private Verdict verdict() {
        Outcome told = new Outcome(
                accepted + emptyHanded,
                accepted,
                0,
                emptyHanded,
                0,
                0,
                emptyHanded,
                gaveUp,
                accepted - rejected,
                rejected,
                noResult,
                1,
                generatorWasTheLimit,
                Map.of(),
                breached);
        ProductBooks product = new ProductBooks(
                "1",
                STOCK,
                List.of(new ShardBooks(0, 0), new ShardBooks(1, unitsLeft)),
                liveOrders,
                duplicates,
                oversold,
                lost,
                0,
                differences);
        Books books = new Books(differences.isEmpty(), List.of(product), Map.of());
        Plan plan = Plan.of(List.of(crowd, "--stock", "" + STOCK));
        return Verdict.of(told, books, plan, isLimited);
    }
}
