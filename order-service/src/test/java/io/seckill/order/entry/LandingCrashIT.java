package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.testkit.LongRun;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The service as a process that ends at one step of a batch. Each start lands what the end before
 * it left open.
 *
 * <p>Nothing here needs the broker to deliver a batch whole, which it does not promise: a step
 * before the commit leaves nothing of whatever part came first, and the one after it is the last
 * row's.
 */
class LandingCrashIT {

    private static final int BATCH = 64;
    private static final int CAREFUL = 16; // so many, when they conflict, land one by one
    private static final int KILLED = 137;
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String FIRST = "518";
    private static final String SECOND = "519";
    private static final Map<String, String> LIMITS =
            Map.of(Limits.ORDER_RATE_PER_SECOND, "1000000");

    @Test
    void process_that_ends_behind_the_commit_or_before_the_ledger_lands_each_once_in_the_end() {
        try (AroundTheService around = new AroundTheService(BATCH, LIMITS)) {
            around.logOutbox();
            around.sell(SECOND, BATCH);
            String ofTheLastRow = "landing.committed@" + FIRST + ":" + BATCH;
            try (ServiceProcess service = around.startServiceThatEnds(ofTheLastRow)) {
                around.send(batch(FIRST));
                assertEnded(service, "landing.committed");
                assertLanded(around, FIRST, BATCH);
            }
            try (ServiceProcess service =
                    around.startServiceThatEnds("landing.written@" + SECOND)) {
                await().atMost(SOON).until(() -> AroundTheService.repeated(service) > 0);
                around.send(batch(SECOND));
                assertEnded(service, "landing.written");
                assertLanded(around, SECOND, 0);
            }
            assertTheNextLands(around, 2 * BATCH);
            assertLanded(around, FIRST, BATCH);
            assertLanded(around, SECOND, BATCH);
        }
    }

    @Test
    @LongRun
    void process_that_ends_before_the_commit_or_one_by_one_lands_each_once_in_the_end() {
        try (AroundTheService around = new AroundTheService(BATCH + CAREFUL, LIMITS)) {
            around.logOutbox();
            try (ServiceProcess service = around.startServiceThatEnds("landing.counted")) {
                around.send(batch(FIRST));
                assertEnded(service, "landing.counted");
                assertLanded(around, FIRST, 0);
            }
            try (ServiceProcess service = around.startServiceThatEnds("landing.taken")) {
                await().atMost(SOON).until(() -> around.orders() == BATCH);
                around.send(rivals()); // of whom each takes a unit and gives it back
                assertEnded(service, "landing.taken");
                assertLanded(around, FIRST, BATCH);
            }
            assertTheNextLands(around, BATCH + CAREFUL);
            assertLanded(around, FIRST, BATCH);
            assertRivalsGaveBackOnce(around);
        }
    }

    private static void assertTheNextLands(AroundTheService around, int rows) {
        try (ServiceProcess service = around.startService()) {
            await().atMost(SOON).until(() -> around.orders() == rows);
            await().atMost(SOON).until(() -> around.count("outbox") == 0);
            assertThat(service.health()).isEqualTo(200);
        }
        assertThat(around.count("parked_message")).isZero();
    }

    private static void assertEnded(ServiceProcess service, String point) {
        assertThat(service.awaitEnd()).isEqualTo(KILLED);
        assertThat(service.output()).contains("the process ends at " + point);
    }

    /** So many orders, each with its unit in the ledger; and all rows there are were to be told. */
    private static void assertLanded(AroundTheService around, String product, long orders) {
        assertThat(around.count("orders WHERE status = 'UNPAID' AND product_id = " + product))
                .isEqualTo(orders);
        assertThat(around.sql.queryForObject(
                        "SELECT sold FROM shard_ledger WHERE product_id = ?", Long.class, product))
                .isEqualTo(orders);
        assertThat(around.sql.queryForList(
                        "SELECT DISTINCT message_key FROM outbox_log", String.class))
                .containsExactlyInAnyOrderElementsOf(
                        around.sql.queryForList("SELECT reservation_id FROM orders", String.class));
    }

    private static void assertRivalsGaveBackOnce(AroundTheService around) {
        List<String> rivals = rivals().stream().map(Reservation::reservationId).toList();
        assertThat(around.sql.queryForList(
                        "SELECT reservation_id FROM orders WHERE reason = 'DUPLICATE_USER'",
                        String.class))
                .containsExactlyInAnyOrderElementsOf(rivals);
        assertThat(around.sql.queryForList(
                        "SELECT message_key FROM outbox_log WHERE topic = ?",
                        String.class,
                        StockReturn.TOPIC))
                .containsExactlyInAnyOrderElementsOf(rivals);
    }

    private static List<Reservation> batch(String product) {
        return IntStream.rangeClosed(1, BATCH)
                .mapToObj(n -> AroundTheService.reservation(product, n, 0))
                .toList();
    }

    /** Of buyers who hold an order by then: each conflicts, in whatever part it comes. */
    private static List<Reservation> rivals() {
        return batch(FIRST).subList(0, CAREFUL).stream()
                .map(held -> new Reservation(
                        FIRST + "%029x".formatted(BATCH + held.seq()),
                        FIRST,
                        held.userId(),
                        1,
                        0,
                        1,
                        BATCH + held.seq(),
                        5))
                .toList();
    }
}
