package io.seckill.order.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.RefusedException;
import io.seckill.order.Answer;
import io.seckill.order.RealService;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.Transactions;
import io.seckill.order.closing.ClosingService;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

class PaymentServiceIT extends RealService {

    @LocalServerPort
    int port;

    @Autowired
    Transactions transactions;

    @Autowired
    PaymentMapper payments;

    @Autowired
    ClosingService closing;

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

        assertThat(payments.find(sn).amountCents()).isEqualTo(PRICE);
        assertThat(Answer.to("GET", port, "/seckill/orders/" + sn, "alice").body())
                .containsEntry("status", "PAID")
                .containsEntry(
                        "paidAt",
                        Instant.ofEpochMilli(payments.find(sn).paidAtMs()).toString());
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
        assertThat(payments.find(order.orderSn())).isNull();
        assertThat(sold(product)).isZero();
        assertBooksBalance(product);
    }

    @ParameterizedTest
    @ValueSource(strings = {"REFUNDED", "REJECTED"})
    void order_in_a_final_state_cannot_be_paid(String state) {
        String sn = order(sale(5), "alice").orderSn();
        sql.update("UPDATE orders SET status = ? WHERE order_sn = ?", state, sn);

        assertThat(pay(sn).body()).containsEntry("state", state);
        assertThat(payments.find(sn)).isNull();
    }

    /** Each clock sees the order as its own to decide, so that only the status is between them. */
    @Test
    void pay_against_close_has_one_winner_and_the_books_say_which() throws Exception {
        String product = sale(60);
        List<Order> open = IntStream.range(0, 60)
                .mapToObj(n -> order(product, "racer-" + n))
                .toList();
        PaymentService inTime = new PaymentService(
                transactions,
                orders,
                payments,
                closing,
                Clock.fixed(Instant.ofEpochMilli(open.get(0).createdAtMs()), ZoneOffset.UTC));

        atOnce(List.of(
                () -> open.stream().filter(order -> paid(inTime, order)).count(),
                () -> IntStream.rangeClosed(1, 60)
                        .mapToObj(n -> open.get(60 - n))
                        .filter(order -> closing.close(order, order.payByMs()))
                        .count()));

        long paid = count(product, "PAID");
        assertThat(paid).isBetween(1L, 59L);
        assertThat(count(product, "CANCELLED")).isEqualTo(60 - paid);
        assertThat(sold(product)).isEqualTo(paid);
        assertThat(sql.queryForObject(
                        "SELECT COUNT(*) FROM payment JOIN orders USING (order_sn)"
                                + " WHERE product_id = ? AND status = 'PAID'",
                        Long.class,
                        product))
                .isEqualTo(paid);
        assertBooksBalance(product);
    }

    private static boolean paid(PaymentService inTime, Order order) {
        try {
            return inTime.pay(order.orderSn(), order.userId()) != null;
        } catch (RefusedException closedBefore) {
            return false;
        }
    }

    private Answer pay(String sn) {
        return Answer.to("POST", port, "/seckill/orders/" + sn + "/pay", "alice");
    }
}
