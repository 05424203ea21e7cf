package io.seckill.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Reservation;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

class OrderControllerIT extends RealService {

    @LocalServerPort
    int port;

    @Autowired
    Transactions transactions;

    @Autowired
    PaymentMapper payments;

    @Autowired
    Closing closing;

    @Test
    void order_is_shown_to_its_buyer_with_times_in_utc_and_the_sum() {
        String product = sale(5);
        Reservation two = new Reservation(
                reservation(product, "u", 0).reservationId(), product, "alice", 2, 0, 1, 5);
        book.handle(List.of(two));
        Map<String, Object> row =
                sql.queryForMap("SELECT * FROM orders WHERE product_id = ?", product);

        Answer answer = get("/" + row.get("order_sn"), "alice");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "orderSn",
                        row.get("order_sn"),
                        "productId",
                        product,
                        "name",
                        "Phone",
                        "quantity",
                        2,
                        "amountCents",
                        2 * PRICE,
                        "status",
                        "UNPAID",
                        "createdAt",
                        Instant.ofEpochMilli((long) row.get("created_at_ms")).toString(),
                        "payBy",
                        Instant.ofEpochMilli((long) row.get("pay_by_ms")).toString()));
    }

    @Test
    void list_has_own_orders_newest_first_without_the_rejected() {
        String buyer = "lister-" + sale(1);
        String first = order(sale(5), buyer).orderSn();
        String second = order(sale(5), buyer).orderSn();
        book.handle(List.of(reservation(sale(0, 1), buyer, 0)));
        order(sale(5), "somebody");

        List<?> listed = (List<?>) get("", buyer).body().get("orders");

        assertThat(listed.stream()
                        .map(one -> (Object) ((Map<?, ?>) one).get("orderSn"))
                        .toList())
                .isEqualTo(List.of(second, first));
        assertThat(get("", "nobody-" + buyer).body()).isEqualTo(Map.of("orders", List.of()));
    }

    @Test
    void order_of_somebody_else_does_not_exist() {
        String product = sale(5);
        String sn = order(product, "alice").orderSn();
        for (String path : List.of("/" + sn, "/" + "9".repeat(24), "/1", "/%27%20OR%201=1")) {
            assertRefused(get(path, "bob"), 404, "NO_SUCH_ORDER");
            assertRefused(pay(path, "bob"), 404, "NO_SUCH_ORDER");
        }
        assertThat(count(product, "UNPAID")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a|b", "alice bob", "{x}"})
    void nobody_named_by_the_edge_is_refused(String user) {
        String sn = order(sale(5), "alice").orderSn();
        assertRefused(get("", user), 401, "UNAUTHENTICATED");
        assertRefused(get("/" + sn, user), 401, "UNAUTHENTICATED");
        assertRefused(pay("/" + sn, user), 401, "UNAUTHENTICATED");
    }

    @Test
    void payments_at_once_take_the_money_once_and_are_all_answered_paid() throws Exception {
        String product = sale(5);
        String sn = order(product, "alice").orderSn();

        atOnce(Collections.nCopies(8, () -> {
            Answer answer = pay("/" + sn, "alice");
            assertThat(answer.status()).isEqualTo(200);
            return assertThat(answer.body())
                    .containsEntry("code", "PAID")
                    .containsEntry("orderSn", sn)
                    .containsEntry("amountCents", PRICE);
        }));

        assertThat(payments.find(sn).amountCents()).isEqualTo(PRICE);
        assertThat(get("/" + sn, "alice").body())
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

        Answer answer = pay("/" + order.orderSn(), "alice");

        assertRefused(answer, 409, "ORDER_NOT_PAYABLE");
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

        assertThat(pay("/" + sn, "alice").body()).containsEntry("state", state);
        assertThat(payments.find(sn)).isNull();
    }

    /** Each clock sees the order as its own to decide, so that only the status is between them. */
    @Test
    void pay_against_close_has_one_winner_and_the_books_say_which() throws Exception {
        String product = sale(60);
        List<Order> open = IntStream.range(0, 60)
                .mapToObj(n -> order(product, "racer-" + n))
                .toList();
        Payments inTime = new Payments(
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

    private static boolean paid(Payments inTime, Order order) {
        try {
            return inTime.pay(order.orderSn(), order.userId()) != null;
        } catch (RefusedException closedBefore) {
            return false;
        }
    }

    private static void assertRefused(Answer answer, int status, String code) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body())
                .containsEntry("code", code)
                .containsKeys("message", "retryAfterMs");
    }

    private Answer get(String path, String user) {
        return Answer.to("GET", port, "/seckill/orders" + path, user);
    }

    private Answer pay(String path, String user) {
        return Answer.to("POST", port, "/seckill/orders" + path + "/pay", user);
    }
}
