package io.seckill.load.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.load.faults.Buyer.State;
import io.seckill.load.faults.Buyer.Told;
import io.seckill.load.faults.Seen.InShard;
import io.seckill.load.faults.Seen.Ledger;
import io.seckill.load.faults.Seen.Order;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two units in one shard: ann and ben have one each, cid is told that none is left. */
class VerdictTest {

    private static final long STOCK = 2;

    private final Map<String, String> stock = new HashMap<>(
            Map.of("init", "2", "available", "0", "deducted", "2", "returned", "0", "burned", "0"));
    private final Map<String, String> reservations = new HashMap<>();
    private final Map<String, String> buyers = new HashMap<>();
    private final List<Order> orders = new ArrayList<>();
    private final Map<String, Told> told = new HashMap<>();
    private Ledger ledger = new Ledger(2, 2, 1, "OPEN");
    private long outbox;
    private long due;

    @BeforeEach
    void two_have_bought_and_one_came_too_late() {
        buy("ann");
        buy("ben");
        tell("cid", State.ASKING, "SOLD_OUT");
    }

    @Test
    void sale_that_came_out_right_has_nothing_broken() {
        assertThat(always()).isEmpty();
        assertThat(whenQuiet()).isEmpty();
    }

    @Test
    void counters_that_do_not_add_up_are_broken_at_any_moment() {
        stock.put("available", "1");
        assertThat(always()).singleElement().asString().contains("counters do not add up");
    }

    @Test
    void reservation_that_no_counter_knows_is_broken_at_any_moment() {
        reservations.put("r-cid", "R|cid|1|5|1|3");
        assertThat(always())
                .anyMatch(each -> each.contains("3 units reserved, counters say 2"))
                .anyMatch(each -> each.contains("buyers are not the users"));
    }

    @Test
    void rebuild_under_way_is_not_judged_by_its_counters() {
        stock.clear();
        stock.put("building", "2");
        assertThat(always()).isEmpty();
        assertThat(whenQuiet()).singleElement().asString().contains("none available");
    }

    @Test
    void ledger_that_differs_from_the_live_orders_is_broken_at_any_moment() {
        ledger = new Ledger(2, 1, 1, "OPEN");
        assertThat(always())
                .containsExactly("shard 0: 2 units in live orders, 1 sold, 2 allocated");
    }

    @Test
    void unit_sold_twice_is_broken_at_any_moment() {
        orders.add(new Order("3", "r-3", "ann", 1, 0, "UNPAID"));
        assertThat(always()).contains("3 units in live orders of 2", "ann has two live orders");
    }

    @Test
    void who_has_two_units_counts_twice_in_all_books() {
        stock.putAll(Map.of("init", "3", "deducted", "3"));
        reservations.put("r-ann", "R|ann|2|5|1|1");
        orders.set(0, new Order("1", "r-ann", "ann", 2, 0, "UNPAID"));
        ledger = new Ledger(3, 3, 1, "OPEN");
        assertThat(Verdict.always(seen(), 3)).isEmpty();
        assertThat(Verdict.whenQuiet(seen(), List.copyOf(told.values()), 3)).isEmpty();
        assertThat(always()).containsExactly("3 units in live orders of 2");
    }

    @Test
    void stranded_unit_is_broken_once_it_is_quiet() {
        orders.remove(1);
        ledger = new Ledger(2, 1, 1, "OPEN");
        assertThat(whenQuiet())
                .contains("shard 0: 0 available and 1 in live orders of 2 (epoch 1, OPEN)")
                .contains("shard 0: reserved without a live order: 1, r-ben")
                .contains("1 of 2 units are sold")
                .contains("told ORDERED, has no such order: 1, ben");
    }

    /** It may have come back with whatever it had. */
    @Test
    void retired_shard_has_the_units_that_are_sold_there_and_is_not_looked_at() {
        stock.put("available", "9");
        reservations.remove("r-ann");
        ledger = new Ledger(2, 2, 2, "RETIRED");
        assertThat(whenQuiet()).isEmpty();
        ledger = new Ledger(3, 2, 2, "RETIRED");
        assertThat(whenQuiet()).containsExactly("shard 0: retired with 3 units, 2 in live orders");
    }

    @Test
    void order_whose_reservation_is_lost_is_broken_once_it_is_quiet() {
        reservations.remove("r-ann");
        assertThat(whenQuiet())
                .containsExactly("shard 0: live order without reservation: 1, r-ann");
    }

    @Test
    void what_is_on_its_way_is_broken_once_it_must_be_quiet() {
        outbox = 1;
        due = 2;
        assertThat(whenQuiet())
                .containsExactly("shard 0: 1 entries in the outbox", "2 returns wait");
    }

    @Test
    void buyer_who_was_promised_a_unit_and_hears_no_more_is_broken() {
        tell("cid", State.WAITING, "PENDING");
        assertThat(whenQuiet())
                .containsExactly("never told what became of it, last PENDING: 1, cid");
    }

    @Test
    void buyer_who_is_told_to_come_again_for_ever_is_broken() {
        tell("cid", State.ASKING, "BUSY");
        assertThat(whenQuiet()).containsExactly("not told SOLD_OUT, last BUSY: 1, cid");
    }

    @Test
    void order_that_its_user_was_not_told_of_is_broken() {
        tell("ann", State.ASKING, "SOLD_OUT");
        assertThat(whenQuiet()).containsExactly("not told of its order, last SOLD_OUT: 1, ann");
    }

    @Test
    void payment_that_was_confirmed_and_is_not_there_is_broken() {
        told.put(
                "ann",
                new Told("ann", State.HOLDING, "PAID", "1", 1, 0, 0, Set.of(), Set.of(), ""));
        assertThat(whenQuiet()).containsExactly("told PAID, has no such order: 1, ann");
    }

    @Test
    void result_that_went_back_is_broken() {
        told.put(
                "ann",
                new Told(
                        "ann",
                        State.HOLDING,
                        "ORDERED",
                        "1",
                        1,
                        0,
                        0,
                        Set.of(),
                        Set.of(),
                        "1 was ORDERED"));
        assertThat(whenQuiet()).containsExactly("1 was ORDERED: 1, ann");
    }

    /** Although it was told of an order in the end. */
    @Test
    void reservation_that_became_an_order_after_its_buyer_was_told_that_it_never_will_is_broken() {
        Set<String> rejected = Set.of("r-ann", "r-0");
        told.put(
                "ann",
                new Told("ann", State.HOLDING, "ORDERED", "1", 2, 0, 0, rejected, Set.of(), ""));
        orders.add(new Order("0", "r-0", "ann", 1, 0, "REJECTED"));
        assertThat(whenQuiet())
                .containsExactly("told REJECTED of a reservation that became an order: 1, r-ann");
    }

    /** But who has a row, of whatever status, is told so later. */
    @Test
    void promise_of_which_nobody_knows_any_more_is_broken() {
        Set<String> forgotten = Set.of("r-0", "r-1");
        told.put(
                "cid",
                new Told("cid", State.ASKING, "SOLD_OUT", "", 2, 0, 0, Set.of(), forgotten, ""));
        orders.add(new Order("0", "r-0", "cid", 1, 0, "REJECTED"));
        assertThat(whenQuiet())
                .containsExactly("promised a unit, and never told what became of it: 1, r-1");
    }

    private void buy(String user) {
        String id = "r-" + user;
        String orderSn = Integer.toString(orders.size() + 1);
        reservations.put(id, "R|" + user + "|1|5|1|" + orderSn);
        buyers.put(user, id);
        orders.add(new Order(orderSn, id, user, 1, 0, "UNPAID"));
        told.put(
                user,
                new Told(user, State.HOLDING, "ORDERED", orderSn, 1, 0, 0, Set.of(), Set.of(), ""));
    }

    private void tell(String user, State state, String word) {
        told.put(user, new Told(user, state, word, "", 0, 0, 0, Set.of(), Set.of(), ""));
    }

    private List<String> always() {
        return Verdict.always(seen(), STOCK);
    }

    private List<String> whenQuiet() {
        return Verdict.whenQuiet(seen(), List.copyOf(told.values()), STOCK);
    }

    private Seen seen() {
        InShard shard = new InShard(stock, reservations, buyers, outbox);
        return new Seen(Map.of(0, shard), Map.of(0, ledger), orders, due);
    }
}
