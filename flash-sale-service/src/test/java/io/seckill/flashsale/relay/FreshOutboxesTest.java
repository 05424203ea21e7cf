package io.seckill.flashsale.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Bounds;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FreshOutboxesTest {

    private static final List<String> SALES = List.of("1", "2", "3");
    private static final int AT_ONCE = FreshOutboxes.MAX_AT_ONCE;
    private static final long SECOND_NS = FreshOutboxes.SWEEP.toNanos();

    private final FreshOutboxes outboxes = new FreshOutboxes();

    @BeforeEach
    void first_round_sweeps() {
        assertThat(outboxes.take(SALES, 0)).containsExactlyElementsOf(SALES);
        assertThat(outboxes.hasMore()).isFalse();
    }

    @Test
    void marked_product_is_read_once_and_no_other() {
        outboxes.mark("2");
        outboxes.mark("2");
        assertThat(outboxes.take(SALES, 1)).containsExactly("2");
        assertThat(outboxes.take(SALES, 2)).isEmpty();
    }

    @Test
    void mark_made_during_a_round_is_for_its_own_round_and_not_for_one_at_once() {
        outboxes.mark("1");
        outboxes.take(SALES, 1);
        outboxes.mark("2");
        assertThat(outboxes.hasMore()).isFalse();
        assertThat(outboxes.take(SALES, 2)).containsExactly("2");
    }

    @Test
    void all_sales_are_read_each_second_however_many_rounds_come_between() {
        outboxes.take(SALES, SECOND_NS - 1);
        assertThat(outboxes.take(SALES, SECOND_NS)).hasSize(3);
        assertThat(outboxes.take(SALES, SECOND_NS + 1)).isEmpty();
    }

    @Test
    void failed_round_sweeps_again_because_its_marks_are_gone() {
        outboxes.mark("7");
        outboxes.take(SALES, 1);
        outboxes.failed();
        assertThat(outboxes.take(List.of("1", "7"), 2)).contains("7");
    }

    @Test
    void sweep_over_many_sales_comes_in_parts_with_what_is_fresh_first_in_each() {
        List<String> many = IntStream.range(0, 150).mapToObj(i -> "s" + i).toList();
        List<String> swept = new ArrayList<>();
        long nowNs = SECOND_NS;
        do {
            outboxes.mark("hot");
            List<String> round = List.copyOf(outboxes.take(many, nowNs++));
            assertThat(round).startsWith("hot").hasSizeLessThanOrEqualTo(1 + AT_ONCE);
            swept.addAll(round.subList(1, round.size()));
        } while (outboxes.hasMore());
        assertThat(swept).containsExactlyElementsOf(many);
    }

    @Test
    void marks_are_no_more_than_sales_may_be_and_come_in_parts() {
        IntStream.range(0, 2 * Bounds.SALES).forEach(i -> outboxes.mark("m" + i));
        int marks = 0;
        do {
            int round = outboxes.take(SALES, 1).size();
            assertThat(round).isLessThanOrEqualTo(AT_ONCE);
            marks += round;
        } while (outboxes.hasMore());
        assertThat(marks).isEqualTo(Bounds.SALES);
    }
}
