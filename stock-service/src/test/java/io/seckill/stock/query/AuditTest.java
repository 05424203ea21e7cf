package io.seckill.stock.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.quantity.Books.State;
import io.seckill.quantity.StockCount;
import io.seckill.stock.query.ProductBooks.ShardBooks;
import io.seckill.stock.sale.Allocation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each equation is shown to hold, and to name each thing that breaks it. */
class AuditTest {

    private final Sample sample = new Sample();

    @Test
    void books_in_balance_have_no_difference_and_add_up() {
        assertThat(sample.check())
                .isEqualTo(new ProductBooks(
                        "518",
                        10,
                        List.of(new ShardBooks(0, 6, 3, 3, 3, 1), new ShardBooks(1, 4, 3, 1, 1, 0)),
                        4,
                        0,
                        0,
                        0,
                        0,
                        0,
                        List.of()));
    }

    @Test
    void a1_available_that_does_not_follow_from_the_counters_is_named() {
        sample.counts.set(0, new StockCount(4, 6, 4, 1, 0, 1, 9));
        assertFinds(
                "A1 product 518, shard 0: init 6 - deducted 4 + returned 1 is not available 4",
                "Q1 product 518, shard 0: available 4 + live orders 3 is not allocated 6");
    }

    @Test
    void a1_negative_available_is_named() {
        sample.counts.set(1, new StockCount(-1, 4, 5, 0, 0, 1, 9));
        assertFinds(
                "A1 product 518, shard 1: available -1",
                "A2 product 518, shard 1: "
                        + "deducted 5 - returned 0 - burned 0 is not the 1 units reserved",
                "Q1 product 518, shard 1: available -1 + live orders 1 is not allocated 4");
    }

    @Test
    void a1_shard_that_got_other_units_than_the_ledger_says_is_named() {
        sample.counts.set(1, new StockCount(4, 5, 1, 0, 0, 1, 9));
        assertFinds(
                "A1 product 518, shard 1: init 5, allocated 4",
                "Q1 product 518, shard 1: available 4 + live orders 1 is not allocated 4");
    }

    @Test
    void a1_shard_that_lost_its_data_is_named() {
        sample.counts.set(1, null);
        sample.kept.get(1).clear();
        sample.buyers.get(1).clear();
        ProductBooks books = assertFinds(
                "A1 product 518, shard 1: loaded with 4 units, "
                        + "but the shard has no stock: it lost its data",
                "A1 product 518, shard 1: init 0, allocated 4",
                "Q1 product 518, shard 1: available 0 + live orders 1 is not allocated 4",
                "Q2 product 518, shard 1: 1 orders unexpected: no reservation: r-dave");
        assertThat(books.unexpectedOrders()).isEqualTo(1);
    }

    @Test
    void shard_that_waits_for_its_part_is_no_difference() {
        sample.counts.set(1, null);
        sample.kept.get(1).clear();
        sample.buyers.get(1).clear();
        sample.orders.remove(2);
        sample.allocations.set(1, new Allocation("518", 1, 4, 0, 1, null));
        assertFinds();
    }

    @Test
    void a2_units_taken_without_a_reservation_are_named() {
        sample.counts.set(0, new StockCount(2, 6, 5, 1, 0, 1, 9));
        assertFinds(
                "A2 product 518, shard 0: "
                        + "deducted 5 - returned 1 - burned 0 is not the 3 units reserved",
                "Q1 product 518, shard 0: available 2 + live orders 3 is not allocated 6");
    }

    @Test
    void a2_return_without_a_mark_is_named() {
        sample.kept.get(0).remove("r-carol");
        assertFinds("A2 product 518, shard 0: returned 1, but 0 units are marked so");
    }

    @Test
    void a2_burn_without_a_count_is_named() {
        sample.keep(1, "erin", State.B, 1);
        assertFinds("A2 product 518, shard 1: burned 0, but 1 units are marked so");
    }

    @Test
    void a3_ledger_that_differs_from_the_orders_is_named() {
        sample.allocations.set(1, new Allocation("518", 1, 4, 2, 1, 1L));
        assertFinds("A3 product 518, shard 1: sold 2, live orders 1");
    }

    @Test
    void a3_ledger_beyond_its_part_is_named() {
        sample.allocations.set(0, new Allocation("518", 0, 6, 7, 1, 1L));
        assertFinds(
                "A3 product 518, shard 0: sold 7, live orders 3",
                "A3 product 518, shard 0: sold 7 of allocated 6");
    }

    @Test
    void a3_parts_that_are_not_the_stock_are_named() {
        sample.stockTotal = 11;
        assertFinds("A3 product 518: allocated 10 over all shards, stock 11");
        sample.stockTotal = 10;
        sample.allocations.remove(1);
        assertFinds(
                "A3 product 518: allocated 6 over all shards, stock 10",
                "Q2 product 518: 1 orders of a shard that is not this sale's: r-dave");
    }

    @Test
    void a3_more_live_units_than_stock_are_oversold() {
        sample.orders.add(new LiveOrder("r-zoe", "zoe", 1, 2));
        sample.orders.add(new LiveOrder("r-yan", "yan", 1, 2));
        sample.orders.add(new LiveOrder("r-xia", "xia", 1, 2));
        sample.orders.add(new LiveOrder("r-wen", "wen", 1, 2));

        ProductBooks books = sample.check();

        assertThat(books.oversold()).isEqualTo(2);
        assertThat(books.unexpectedOrders()).isEqualTo(4);
        assertThat(books.differences())
                .contains(
                        "A3 product 518: live orders 12, stock 10",
                        "Q2 product 518, shard 1: 4 orders unexpected: no reservation: "
                                + "r-wen, r-xia, r-yan, …");
    }

    @Test
    void a4_order_beyond_the_limit_is_named() {
        sample.perUserLimit = 1;
        assertFinds("A4 product 518: 1 orders of more than 1 units: r-alice");
    }

    @Test
    void a4_user_with_two_live_orders_is_a_duplicate_buyer() {
        sample.orders.add(new LiveOrder("r-second", "alice", 1, 1));
        ProductBooks books = sample.check();
        assertThat(books.duplicateBuyers()).isEqualTo(1);
        assertThat(books.differences())
                .contains("A4 product 518: 1 users with more than one order or reservation: alice");
    }

    @Test
    void a4_user_with_reservations_in_two_shards_is_a_duplicate_buyer() {
        sample.keep(1, "alice", State.R, 1);
        sample.buyers.get(1).put("alice", "r-alice");
        ProductBooks books = sample.check();
        assertThat(books.duplicateBuyers()).isEqualTo(1);
        assertThat(books.lostReservations()).isEqualTo(1);
    }

    @Test
    void a5_mark_without_a_reservation_and_the_other_way_round_are_named() {
        sample.buyers.get(0).put("mallory", "r-mallory");
        assertFinds("A5 product 518, shard 0: "
                + "1 buyers whose mark is not their reservation: mallory");
        sample.buyers.get(0).remove("mallory");
        sample.buyers.get(0).remove("bob");
        assertFinds("A5 product 518, shard 0: 1 buyers whose mark is not their reservation: bob");
        sample.buyers.get(0).put("bob", "r-alice");
        assertFinds("A5 product 518, shard 0: 1 buyers whose mark is not their reservation: bob");
    }

    @Test
    void q2_reservation_without_an_order_is_lost() {
        sample.orders.remove(1);
        sample.allocations.set(0, new Allocation("518", 0, 6, 2, 1, 1L));
        ProductBooks books = assertFinds(
                "Q1 product 518, shard 0: available 3 + live orders 2 is not allocated 6",
                "Q2 product 518, shard 0: 1 reservations without a live order: r-bob");
        assertThat(books.lostReservations()).isEqualTo(1);
        assertThat(books.unexpectedOrders()).isZero();
    }

    @Test
    void q2_reservation_that_may_be_on_its_way_is_not_called_lost() {
        sample.orders.clear();
        assertLost(3, Queued.of(0, 0));
        assertLost(3, Queued.of(0, 9));
        assertLost(1, Queued.of(2, 0));
        assertLost(0, Queued.of(3, 0));
        assertLost(0, Queued.of(9, 0));
        assertLost(0, Queued.UNKNOWN);
    }

    @Test
    void q1_and_q2_return_to_the_wrong_shard_is_named_though_the_sum_is_right() {
        sample.orders.set(1, new LiveOrder("r-bob", "bob", 1, 1));
        sample.allocations.set(0, new Allocation("518", 0, 6, 2, 1, 1L));
        sample.allocations.set(1, new Allocation("518", 1, 4, 2, 1, 1L));
        ProductBooks books = assertFinds(
                "Q1 product 518, shard 0: available 3 + live orders 2 is not allocated 6",
                "Q2 product 518, shard 0: 1 reservations without a live order: r-bob",
                "Q1 product 518, shard 1: available 3 + live orders 2 is not allocated 4",
                "Q2 product 518, shard 1: 1 orders unexpected: no reservation: r-bob");
        assertThat(books.lostReservations()).isEqualTo(1);
        assertThat(books.unexpectedOrders()).isEqualTo(1);
    }

    @Test
    void q2_order_that_tells_another_user_than_its_reservation_is_named() {
        sample.orders.set(1, new LiveOrder("r-bob", "mallory", 0, 1));
        assertFinds("Q2 product 518, shard 0: "
                + "1 orders with another user or quantity than reserved: r-bob");
    }

    private void assertLost(int count, Queued queued) {
        sample.queued = queued;
        ProductBooks books = sample.check();
        assertThat(books.reservationsWithoutOrder()).isEqualTo(3);
        assertThat(books.lostReservations()).isEqualTo(count);
        assertThat(books.differences())
                .contains("Q2 product 518, shard 1: "
                        + "1 reservations without a live order: r-dave");
    }

    private ProductBooks assertFinds(String... differences) {
        ProductBooks books = sample.check();
        assertThat(books.differences()).containsExactly(differences);
        return books;
    }
}
