package io.seckill.order.closing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.StockReturn;
import io.seckill.order.RealService;
import io.seckill.order.booking.Order;
import io.seckill.order.payment.PaymentService;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class ClosingIT extends RealService {

    @Autowired
    ClosingService closing;

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
        String product = sale(300);
        handler.handle(reservations(product, 230, 0));
        sql.update("UPDATE orders SET pay_by_ms = 1 WHERE product_id = ?", product);

        atOnce(Collections.nCopies(3, () -> closing.sweep()));

        awaitCancelled(product, 230);
        assertThat(sold(product)).isZero();
        assertThat(decided(OrderEvent.TOPIC, OrderEvent.class))
                .filteredOn(event -> event.productId().equals(product)
                        && event.status() == OrderEvent.Status.CANCELLED)
                .hasSize(230);
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
        assertThat(closing.sweep()).isFalse();
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
        String broken = sale(250);
        handler.handle(reservations(broken, 250, 0));
        sql.update("UPDATE shard_ledger SET sold = 0 WHERE product_id = ?", broken);
        sql.update("UPDATE orders SET pay_by_ms = 1 WHERE product_id = ?", broken);
        String sound = sale(5);
        sql.update(
                "UPDATE orders SET pay_by_ms = 2 WHERE order_sn = ?",
                order(sound, "alice").orderSn());

        awaitCancelled(sound, 1);
        assertThat(count(broken, "UNPAID")).isEqualTo(250);

        sql.update("UPDATE shard_ledger SET sold = 250 WHERE product_id = ?", broken);
        awaitCancelled(broken, 250);
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

        closing.sweep();

        assertThat(closing.close(order, Long.MAX_VALUE)).isFalse();
        assertThat(count(product, "PAID")).isEqualTo(1);
        assertBooksBalance(product);
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
