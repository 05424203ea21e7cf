package io.seckill.order.closing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.RealService;
import io.seckill.order.booking.DatabaseClock;
import io.seckill.order.booking.Order;
import io.seckill.order.payment.PaymentService;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class ClosingIT extends RealService {

    @Autowired
    ClosingService closing;

    @Autowired
    DatabaseClock clock;

    @Autowired
    PaymentService payments;

    @Test
    void unpaid_order_closes_by_itself_and_its_unit_returns() {
        String product = sale(5);
        Order order = order(product, "alice");
        makeDue(order);

        awaitCancelled(product, 1);
        assertThat(sold(product)).isZero();
        assertBooksBalance(product);
        String reservation = order.reservationId();
        assertThat(RETURNS.of(reservation))
                .containsExactly(new StockReturn(
                        reservation,
                        product,
                        "alice",
                        1,
                        0,
                        1,
                        StockReturn.Action.RETURN,
                        "PAY_TIMEOUT"));
        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(EVENTS.of(reservation))
                        .extracting(OrderEvent::status)
                        .contains(OrderEvent.Status.ORDERED, OrderEvent.Status.CANCELLED));
    }

    @Test
    void return_of_a_closed_order_carries_the_epoch_that_the_ledger_has_by_then() {
        String product = sale(5);
        Order order = order(product, "alice");
        sql.update("UPDATE shard_ledger SET epoch = 4 WHERE product_id = ?", product);
        makeDue(order);

        awaitCancelled(product, 1);

        assertBooksBalance(product);
        assertThat(RETURNS.of(order.reservationId()))
                .extracting(StockReturn::epoch)
                .containsExactly(4);
    }

    @Test
    void buyer_of_a_closed_order_may_buy_again() {
        String product = sale(1);
        makeDue(order(product, "alice"));
        awaitCancelled(product, 1);

        order(product, "alice");

        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertBooksBalance(product);
    }

    @Test
    void sweeps_at_once_close_every_order_of_many_pages_once() throws Exception {
        int many = 2 * UnpaidSweep.PAGE + 1;
        String product = sale(many);
        handler.handle(reservations(product, many, 0));
        sql.update("UPDATE orders SET pay_by_ms = 1 WHERE product_id = ?", product);

        atOnce(Stream.generate(() -> (Callable<?>) anotherSweep()::sweep)
                .limit(3)
                .toList());

        awaitCancelled(product, many);
        assertThat(sold(product)).isZero();
        assertThat(decided(OrderEvent.TOPIC, OrderEvent.class))
                .filteredOn(event -> event.productId().equals(product)
                        && event.status() == OrderEvent.Status.CANCELLED)
                .hasSize(many);
        assertBooksBalance(product);
    }

    @Test
    void order_whose_books_are_broken_stays_open_and_does_not_hold_up_the_others() {
        String broken = sale(5);
        String sound = sale(5);
        Order stuck = order(broken, "alice");
        sql.update("UPDATE shard_ledger SET sold = 0 WHERE product_id = ?", broken);
        makeDue(stuck);
        makeDue(order(sound, "alice"));

        awaitCancelled(sound, 1);
        assertThat(anotherSweep().sweep()).isFalse();
        assertThat(count(broken, "UNPAID")).isEqualTo(1);
        assertThat(sold(broken)).isZero();
        assertThat(statusesTold(stuck)).containsExactly(OrderEvent.Status.ORDERED);
        assertBooksBalance(sound);

        sql.update("UPDATE shard_ledger SET sold = 1 WHERE product_id = ?", broken);
        awaitCancelled(broken, 1);
        assertThat(statusesTold(stuck))
                .containsExactly(OrderEvent.Status.ORDERED, OrderEvent.Status.CANCELLED);
        assertThat(sold(broken)).isZero();
        assertBooksBalance(broken);
    }

    @Test
    void more_than_a_page_of_orders_that_cannot_be_closed_starve_no_other() {
        int many = UnpaidSweep.PAGE + 1;
        String broken = sale(many);
        handler.handle(reservations(broken, many, 0));
        sql.update("UPDATE shard_ledger SET sold = 0 WHERE product_id = ?", broken);
        sql.update("UPDATE orders SET pay_by_ms = 1 WHERE product_id = ?", broken);
        String sound = sale(5);
        sql.update(
                "UPDATE orders SET pay_by_ms = 2 WHERE order_sn = ?",
                order(sound, "alice").orderSn());

        awaitCancelled(sound, 1);
        assertThat(count(broken, "UNPAID")).isEqualTo(many);

        sql.update("UPDATE shard_ledger SET sold = ? WHERE product_id = ?", many, broken);
        awaitCancelled(broken, many);
        assertThat(sold(broken)).isZero();
        assertBooksBalance(broken);
        assertBooksBalance(sound);
    }

    @Test
    void paid_order_is_never_closed() {
        String product = sale(5);
        Order order = order(product, "alice");
        payments.pay(order.orderSn(), "alice");
        makeDue(order);

        anotherSweep().sweep();

        assertThat(closing.close(order, Long.MAX_VALUE)).isFalse();
        assertThat(count(product, "PAID")).isEqualTo(1);
        assertBooksBalance(product);
    }

    @Test
    void one_order_that_cannot_be_closed_keeps_none_of_its_batch_open() {
        String product = sale(200);
        List<Reservation> all = reservations(product, 200, 0);
        handler.handle(all);
        String bad = all.get(77).reservationId();
        sql.execute("ALTER TABLE orders ADD CONSTRAINT never_ends CHECK (status <> 'CANCELLED'"
                + " OR reservation_id <> '" + bad + "')");
        sql.update("UPDATE orders SET pay_by_ms = 1 WHERE product_id = ?", product);

        anotherSweep().sweep();

        awaitCancelled(product, 199);
        assertThat(sold(product)).isEqualTo(1);
        assertBooksBalance(product);
        sql.execute("ALTER TABLE orders DROP CONSTRAINT never_ends");
        awaitCancelled(product, 200);
        assertBooksBalance(product);
    }

    @Test
    void order_that_somebody_has_locked_keeps_none_of_its_batch_open() throws Exception {
        String product = sale(50);
        List<Order> batch = ordersOf(product, 50);
        long lateMs = clock.millis() + 1_000_000;
        try (Connection holder = holding("UPDATE orders SET epoch = epoch WHERE order_sn = '"
                + batch.get(7).orderSn() + "'")) {
            assertThat(closing.closeTogether(batch, lateMs)).isEqualTo(49);
            holder.rollback();
        }
        assertThat(sold(product)).isEqualTo(1);
        assertThat(closing.closeTogether(batch, lateMs)).isEqualTo(1);
        assertBooksBalance(product);
    }

    @Test
    void row_of_the_ledger_that_somebody_has_locked_keeps_no_other_open() throws Exception {
        String held = sale(300);
        handler.handle(reservations(held, 300, 0));
        String free = sale(5);
        Order behind = order(free, "alice");
        try (Connection holder = holding(
                "UPDATE shard_ledger SET last_seq = last_seq WHERE product_id = '" + held + "'")) {
            sql.update("UPDATE orders SET pay_by_ms = 1 WHERE product_id = ?", held);
            sql.update("UPDATE orders SET pay_by_ms = 2 WHERE order_sn = ?", behind.orderSn());

            anotherSweep().sweep();

            assertThat(count(free, "CANCELLED")).isEqualTo(1);
            assertThat(count(held, "UNPAID")).isEqualTo(300);
            holder.rollback();
        }
        awaitCancelled(held, 300);
        assertBooksBalance(held);
        assertBooksBalance(free);
    }

    @Test
    void payments_of_some_of_a_batch_leave_those_and_the_others_close() {
        String product = sale(60);
        List<Order> batch = ordersOf(product, 60);
        batch.subList(0, 20).forEach(order -> payments.pay(order.orderSn(), order.userId()));

        assertThat(closing.closeTogether(batch, clock.millis() + 1_000_000)).isEqualTo(40);

        assertThat(count(product, "PAID")).isEqualTo(20);
        assertThat(count(product, "CANCELLED")).isEqualTo(40);
        assertThat(sold(product)).isEqualTo(20);
        assertBooksBalance(product);
    }

    private List<Order> ordersOf(String product, int count) {
        List<Reservation> all = reservations(product, count, 0);
        handler.handle(all);
        return orders.ofReservations(
                all.stream().map(Reservation::reservationId).toList());
    }

    /** As of another instance: the service's own goes on beside it. */
    private UnpaidSweep anotherSweep() {
        return new UnpaidSweep(orders, closing, clock);
    }

    private static Connection holding(String update) throws SQLException {
        Connection holder = DriverManager.getConnection(DATABASE.url(), "root", "");
        holder.setAutoCommit(false);
        holder.createStatement().executeUpdate(update);
        return holder;
    }

    private List<OrderEvent.Status> statusesTold(Order order) {
        return decided(OrderEvent.TOPIC, OrderEvent.class).stream()
                .filter(event -> event.reservationId().equals(order.reservationId()))
                .map(OrderEvent::status)
                .toList();
    }

    private void awaitCancelled(String product, long orders) {
        await().atMost(Duration.ofSeconds(45)).until(() -> count(product, "CANCELLED") == orders);
    }
}
