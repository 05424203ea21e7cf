package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Hmac;
import io.seckill.contracts.Json;
import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.TokenKeyFile;
import io.seckill.order.Answer;
import io.seckill.testkit.Metrics;
import io.seckill.testkit.ServiceProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A transaction that the database committed, and the service heard of no commit, for the connection
 * ended first: whatever it was, it is found and not done again.
 */
class LostCommitIT {

    private static final Duration SOON = Duration.ofSeconds(45);
    private static final String FAST = "1000000";

    private static AroundTheService around;
    private static LostCommits proxy;
    private static ServiceProcess service;

    @BeforeAll
    static void start() {
        around = new AroundTheService(0, Map.of(Limits.ORDER_RATE_PER_SECOND, FAST));
        around.logOutbox();
        proxy = new LostCommits(around.database.url());
        proxy.open();
        service = around.startService(proxy.url());
    }

    @AfterAll
    static void stop() throws IOException {
        service.close();
        proxy.close();
        around.close();
    }

    @Test
    void payment_is_taken_once_and_told_when_its_buyer_or_the_gateway_asks_again() {
        String product = "521";
        around.sell(product, 5);
        around.send(reservations(product, 1));
        await().atMost(SOON).until(() -> count(product, "UNPAID") == 1);
        String sn = around.sql.queryForObject(
                "SELECT order_sn FROM orders WHERE product_id = ?", String.class, product);

        int before = cutNext(said -> said.contains("INSERT INTO payment"));
        pay(sn).assertRefused(503, "BUSY");
        assertThat(proxy.lost()).isEqualTo(before + 1);

        assertThat(pay(sn).status()).isEqualTo(200);
        assertThat(report(sn).body()).containsEntry("code", "PAID");
        assertThat(around.count("payment WHERE order_sn = '" + sn + "'")).isEqualTo(1);
        assertThat(around.count("refund WHERE order_sn = '" + sn + "'")).isZero();
        assertThat(count(product, "PAID")).isEqualTo(1);
        assertBooks(product, 1);
    }

    @Test
    void orders_that_nobody_paid_are_closed_once() {
        String product = "522";
        around.sell(product, 30);
        around.send(reservations(product, 30));
        await().atMost(SOON).until(() -> count(product, "UNPAID") == 30);

        int before = cutNext(said -> said.contains("'CANCELLED'"));
        around.sql.update(
                "UPDATE orders SET pay_by_ms = 1 WHERE product_id = ? AND seq <= 20", product);
        await().atMost(SOON).until(() -> proxy.lost() == before + 1);
        await().during(Duration.ofSeconds(3)) // some sweeps
                .atMost(SOON)
                .until(() -> count(product, "CANCELLED") == 20);

        assertBooks(product, 10);
    }

    @Test
    void reservations_that_waited_too_long_are_rejected_once() throws Exception {
        String product = "523";
        around.sell(product, 100);
        around.setLimits(
                Map.of(Limits.ORDER_RATE_PER_SECOND, "1", Limits.ORDER_BACKLOG_MAX_AGE_MS, "1000"));
        Thread.sleep(1_500); // until they are in force

        long repeated = AroundTheService.repeated(service);
        int before = cutNext(said -> said.contains("REJECTED") && said.contains("BACKLOG"));
        around.send(reservations(product, 100));
        await().atMost(SOON).until(() -> proxy.lost() == before + 1);
        await().atMost(SOON)
                .until(() -> AroundTheService.repeated(service) > repeated && all(product) == 100);
        around.setLimits(Map.of(
                Limits.ORDER_RATE_PER_SECOND, FAST, Limits.ORDER_BACKLOG_MAX_AGE_MS, "30000"));

        assertThat(around.count("orders WHERE reason = 'BACKLOG'"))
                .isEqualTo(count(product, "REJECTED"))
                .isGreaterThan(50);
        assertBooks(product, 100 - count(product, "REJECTED"));
    }

    /** The second order of a user sends its batch there. */
    @Test
    void batch_that_went_the_careful_way_is_written_once() {
        String product = "524";
        around.sell(product, 20);
        List<Reservation> batch = new ArrayList<>(reservations(product, 10));
        Reservation last = AroundTheService.reservation(product, 11, 0);
        batch.add(new Reservation(
                last.reservationId(), product, batch.get(0).userId(), 1, 0, 1, 11, 5));

        long repeated = AroundTheService.repeated(service);
        int before = cutNext(said -> said.contains("DUPLICATE_USER"));
        around.send(batch);
        await().atMost(SOON).until(() -> proxy.lost() == before + 1);
        await().atMost(SOON)
                .until(() -> AroundTheService.repeated(service) > repeated && all(product) == 11);

        assertThat(count(product, "REJECTED")).isEqualTo(1);
        assertBooks(product, 10);
    }

    /** How many were lost before. */
    private static int cutNext(Predicate<String> transaction) {
        int before = proxy.lost();
        proxy.cutNext(transaction);
        return before;
    }

    private static List<Reservation> reservations(String product, int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(n -> AroundTheService.reservation(product, n, 0))
                .toList();
    }

    private static long all(String product) {
        return around.count("orders WHERE product_id = '" + product + "'");
    }

    private static long count(String product, String status) {
        return around.count(
                "orders WHERE product_id = '" + product + "' AND status = '" + status + "'");
    }

    private static Answer pay(String sn) {
        return Answer.to("POST", service.port(), "/seckill/orders/" + sn + "/pay", "user-1");
    }

    /** The charge of this order was paid. */
    private static Answer report(String sn) {
        String nonce = around.sql.queryForObject(
                "SELECT nonce FROM charge WHERE order_sn = ?", String.class, sn);
        String signature = Hmac.of(
                new TokenKeyFile.Key("k1", "s".repeat(32)),
                "payment|" + sn + "|" + nonce + "|990|PAID");
        String body = Json.write(Map.of(
                "orderSn", sn,
                "nonce", nonce,
                "amountCents", 990,
                "outcome", "PAID",
                "signature", signature));
        return Answer.to("POST", service.port(), "/payments/reports", "", body);
    }

    /** So many units are sold, each of the others went back once, and nothing is in the way. */
    private static void assertBooks(String product, long live) {
        await().atMost(SOON).until(() -> around.count("outbox") == 0);
        assertThat(count(product, "UNPAID") + count(product, "PAID")).isEqualTo(live);
        assertThat(around.sql.queryForObject(
                        "SELECT sold FROM shard_ledger WHERE product_id = ?", Long.class, product))
                .isEqualTo(live);
        assertThat(returned(product))
                .containsExactlyInAnyOrderElementsOf(around.sql.queryForList(
                        "SELECT reservation_id FROM orders WHERE product_id = ?"
                                + " AND status IN ('REJECTED', 'CANCELLED')",
                        String.class,
                        product));
        assertThat(around.count("parked_message")).isZero();
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(Metrics.of("order", service.uri("/actuator/prometheus"))
                                        .objections())
                                .isEmpty());
        assertThat(service.health()).isEqualTo(200);
    }

    /** By every message that a committed transaction wrote. */
    private static List<String> returned(String product) {
        return around
                .sql
                .queryForList(
                        "SELECT body FROM outbox_log WHERE topic = ?",
                        String.class,
                        StockReturn.TOPIC)
                .stream()
                .map(body -> Json.read(body, StockReturn.class))
                .filter(units -> units.productId().equals(product))
                .map(StockReturn::reservationId)
                .toList();
    }
}
