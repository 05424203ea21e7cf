package io.seckill.order.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.RefusedException;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Refusal;
import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.Transactions;
import io.seckill.order.closing.ClosingService;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

class PaymentServiceIT extends RealService {

    private static final int BATCH = 256;
    private static final long LONGEST_DELAY_NS = 20_000_000;
    private static final int RACES = Integer.getInteger("seckill.races", 500);

    private final SplittableRandom random = new SplittableRandom(1);

    @Autowired
    Transactions transactions;

    @Autowired
    PaymentMapper payments;

    @Autowired
    ClosingService closing;

    @AfterEach
    void usualPace() {
        setLimit("500");
    }

    @Test
    void payments_at_once_take_the_money_once_and_are_all_answered_paid() throws Exception {
        String product = sale(5);
        String sn = order(product, "alice").orderSn();

        atOnce(Collections.nCopies(8, () -> {
            Answer answer = pay(sn);
            assertThat(answer.status()).isEqualTo(200);
            return assertThat(answer.body())
                    .containsEntry("code", "PAID")
                    .containsEntry("orderSn", sn)
                    .containsEntry("amountCents", PRICE);
        }));

        assertThat(payments.find(sn).orElseThrow().amountCents()).isEqualTo(PRICE);
        assertThat(Answer.to("GET", port, "/seckill/orders/" + sn, "alice").body())
                .containsEntry("status", "PAID")
                .containsEntry(
                        "paidAt",
                        Instant.ofEpochMilli(payments.find(sn).orElseThrow().paidAtMs())
                                .toString());
        assertBooksBalance(product);
    }

    @Test
    void late_payment_takes_nothing_and_names_the_state() {
        String product = sale(5);
        Order order = order(product, "alice");
        makeDue(order);

        Answer answer = pay(order.orderSn());

        answer.assertRefused(409, "ORDER_NOT_PAYABLE");
        assertThat(answer.body()).containsEntry("state", "CANCELLED");
        assertThat(payments.find(order.orderSn())).isEmpty();
        assertThat(sold(product)).isZero();
        assertBooksBalance(product);
    }

    @ParameterizedTest
    @ValueSource(strings = {"REFUNDED", "REJECTED"})
    void order_in_a_final_state_cannot_be_paid(String state) {
        String sn = order(sale(5), "alice").orderSn();
        sql.update("UPDATE orders SET status = ? WHERE order_sn = ?", state, sn);

        assertThat(pay(sn).body()).containsEntry("state", state);
        assertThat(payments.find(sn)).isEmpty();
    }

    /** Each sees the order as its own to decide, so that only the status is between them. */
    @Test
    void pay_against_close_has_one_winner_and_the_books_say_which() throws Exception {
        setLimit("100000");
        String product = sale(RACES);
        PaymentService inTime =
                new PaymentService(transactions, orders, payments, closing, () -> 0);
        Set<String> paid = new ConcurrentSkipListSet<>();
        Set<String> closed = new ConcurrentSkipListSet<>();

        for (Order order : unpaid(product, RACES)) {
            String sn = order.orderSn();
            atOnce(List.of(
                    () -> pays(inTime, order) && paid.add(sn),
                    () -> closes(order) && closed.add(sn)));
        }

        assertThat(paid).as("each won some, or nothing raced").hasSizeBetween(1, RACES - 1);
        assertThat(closed).doesNotContainAnyElementsOf(paid).hasSize(RACES - paid.size());
        assertThat(numbers("SELECT order_sn FROM orders WHERE status = 'PAID'", product))
                .containsExactlyInAnyOrderElementsOf(paid);
        assertThat(numbers("SELECT order_sn FROM orders WHERE status = 'CANCELLED'", product))
                .containsExactlyInAnyOrderElementsOf(closed);
        assertThat(numbers(
                        "SELECT order_sn FROM payment JOIN orders USING (order_sn) WHERE 1",
                        product))
                .containsExactlyInAnyOrderElementsOf(paid);
        assertThat(sold(product)).isEqualTo(paid.size());
        assertThat(decided(OrderEvent.TOPIC, OrderEvent.class))
                .filteredOn(event -> event.productId().equals(product)
                        && event.status() == OrderEvent.Status.CANCELLED)
                .extracting(OrderEvent::orderSn)
                .containsExactlyInAnyOrderElementsOf(closed);
        assertBooksBalance(product);
    }

    private List<Order> unpaid(String product, int count) {
        List<Reservation> all = reservations(product, count, 0);
        for (int from = 0; from < count; from += BATCH) {
            handler.handle(all.subList(from, Math.min(from + BATCH, count)));
        }
        return all.stream()
                .map(Reservation::reservationId)
                .flatMap(id -> orders.ofReservations(List.of(id)).stream())
                .toList();
    }

    private static boolean pays(PaymentService inTime, Order order) {
        try {
            return inTime.pay(order.orderSn(), order.userId()) != null;
        } catch (RefusedException closedBefore) {
            assertThat(closedBefore.refusal()).isEqualTo(Refusal.ORDER_NOT_PAYABLE);
            return false;
        }
    }

    /** Some milliseconds later, more or less than a payment takes, so that neither always wins. */
    private boolean closes(Order order) {
        LockSupport.parkNanos(random.nextLong(LONGEST_DELAY_NS));
        Order found = orders.find(order.orderSn(), order.userId()).orElseThrow();
        return closing.close(found, found.payByMs());
    }

    private List<String> numbers(String query, String product) {
        return sql.queryForList(query + " AND product_id = ?", String.class, product);
    }

    private Answer pay(String sn) {
        return Answer.to("POST", port, "/seckill/orders/" + sn + "/pay", "alice");
    }
}
