package io.seckill.order.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.seckill.common.RefusedException;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Refusal;
import io.seckill.contracts.Reservation;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.Transactions;
import io.seckill.order.closing.ClosingService;
import io.seckill.order.payment.PaymentReport.Outcome;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Instant;
import java.util.ArrayList;
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
    private static final String KEPT = """
            SELECT order_sn FROM payment p JOIN orders USING (order_sn)
            WHERE amount_cents = price_cents AND NOT EXISTS
                (SELECT 1 FROM refund r WHERE r.order_sn = p.order_sn
                    AND r.amount_cents = p.amount_cents)""";
    private static final long LONGEST_DELAY_NS = 20_000_000;
    private static final int RACES = Integer.getInteger("seckill.races", 500);

    private final SplittableRandom random = new SplittableRandom(1);

    @Autowired
    Transactions transactions;

    @Autowired
    PaymentMapper payments;

    @Autowired
    ChargeMapper charges;

    @Autowired
    PaymentGateway gateway;

    @Autowired
    PaymentReports reports;

    @Autowired
    ReportSigner signer;

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

    /** Whoever asks again does not queue up with those who write orders. */
    @Test
    void paid_order_is_answered_without_a_wait_for_its_row_of_the_ledger() throws Exception {
        String product = sale(5);
        String sn = order(product, "alice").orderSn();
        assertThat(pay(sn).body()).containsEntry("code", "PAID");
        try (Connection holder = DriverManager.getConnection(DATABASE.url(), "root", "")) {
            holder.setAutoCommit(false);
            holder.createStatement()
                    .executeQuery("SELECT 1 FROM shard_ledger WHERE product_id = " + product
                            + " FOR UPDATE");
            long startMs = System.currentTimeMillis();

            assertThat(pay(sn).body()).containsEntry("code", "PAID");

            assertThat(System.currentTimeMillis() - startMs).isLessThan(2_000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"REFUNDED", "REJECTED"})
    void order_in_a_final_state_cannot_be_paid(String state) {
        String sn = order(sale(5), "alice").orderSn();
        sql.update("UPDATE orders SET status = ? WHERE order_sn = ?", state, sn);

        assertThat(pay(sn).body()).containsEntry("state", state);
        assertThat(payments.find(sn)).isEmpty();
    }

    @Test
    void gateway_that_has_not_answered_is_asked_for_the_same_charge_again() {
        String product = sale(5);
        Order order = order(product, "alice");
        List<Charge> asked = new ArrayList<>();
        PaymentService slow = paying(asked::add);

        assertRefused(Refusal.BUSY, slow, order);
        assertRefused(Refusal.BUSY, slow, order);
        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertThat(asked).hasSize(2);
        assertThat(Set.copyOf(asked)).hasSize(1);

        reports.take(signer.sign(asked.get(0), Outcome.PAID));
        assertThat(slow.pay(order.orderSn(), "alice").amountCents()).isEqualTo(PRICE);
        assertThat(asked).hasSize(2);
        assertBooksBalance(product);
    }

    @Test
    void payment_that_failed_may_be_tried_again_by_another_charge() {
        String product = sale(5);
        Order order = order(product, "alice");
        List<Charge> asked = new ArrayList<>();
        PaymentService declining = paying(charge -> {
            asked.add(charge);
            reports.take(signer.sign(charge, Outcome.FAILED));
        });

        assertRefused(Refusal.ORDER_NOT_PAYABLE, declining, order);
        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertThat(payments.find(order.orderSn())).isEmpty();
        assertRefused(Refusal.ORDER_NOT_PAYABLE, declining, order);
        assertThat(Set.copyOf(asked)).hasSize(2);

        assertThat(pay(order.orderSn()).body()).containsEntry("code", "PAID");
        assertBooksBalance(product);
    }

    @Test
    void gateway_that_is_away_leaves_the_order_unpaid_and_the_next_try_pays() {
        String product = sale(5);
        Order order = order(product, "alice");
        PaymentService cutOff = paying(charge -> {
            throw new IllegalStateException("the gateway is away");
        });

        assertThatIllegalStateException().isThrownBy(() -> cutOff.pay(order.orderSn(), "alice"));

        assertThat(count(product, "UNPAID")).isEqualTo(1);
        assertThat(pay(order.orderSn()).body()).containsEntry("code", "PAID");
        assertBooksBalance(product);
    }

    private static void assertRefused(Refusal refusal, PaymentService by, Order order) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> by.pay(order.orderSn(), order.userId()))
                .matches(e -> e.refusal() == refusal);
    }

    /** Each sees the order as its own to decide, so that only the status is between them. */
    @Test
    void pay_against_close_has_one_winner_and_the_books_say_which() throws Exception {
        setLimit("100000");
        String product = sale(RACES);
        PaymentService inTime = paying(gateway);
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
        assertThat(numbers(KEPT, product)).containsExactlyInAnyOrderElementsOf(paid);
        assertThat(sold(product)).isEqualTo(paid.size());
        assertThat(decided(OrderEvent.TOPIC, OrderEvent.class))
                .filteredOn(event -> event.productId().equals(product)
                        && event.status() == OrderEvent.Status.CANCELLED)
                .extracting(OrderEvent::orderSn)
                .containsExactlyInAnyOrderElementsOf(closed);
        assertBooksBalance(product);
    }

    /** An instance by whose clock everything is in time. */
    private PaymentService paying(PaymentGateway by) {
        return new PaymentService(transactions, orders, charges, payments, by, closing, () -> 0);
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
