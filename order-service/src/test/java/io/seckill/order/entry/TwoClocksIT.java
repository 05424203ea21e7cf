package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.testkit.LongRun;
import io.seckill.testkit.ServiceProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Two processes of the service, as on two hosts whose clocks are 3 s apart. */
@LongRun
class TwoClocksIT {

    private static final Duration AHEAD = Duration.ofSeconds(3);
    private static final int PER_SECOND = 100;
    private static final int MANY = 4 * PER_SECOND;
    private static final int PAY_WITHIN_S = 2; // less than one clock is ahead
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final String DATABASE_MS =
            "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000";

    private final List<Reservation> sent = new ArrayList<>();

    @Test
    void clocks_apart_pass_no_limit_and_close_no_order_before_its_time() throws Exception {
        Map<String, String> limits =
                Map.of(Limits.ORDER_RATE_PER_SECOND, Integer.toString(PER_SECOND));
        try (AroundTheService around = new AroundTheService(1_000_000, limits)) {
            around.sql.update("UPDATE sale SET pay_within_s = ?", PAY_WITHIN_S);
            around.logOutbox();
            logTimes(around);
            try (ServiceProcess right = around.startService();
                    ServiceProcess ahead = around.startServiceAhead(AHEAD)) {
                assertThat(clockMs(ahead) - clockMs(right)).isBetween(1_000L, 4_000L);
                awaitBothWrite(around);

                send(around, MANY);
                await().atMost(LONG)
                        .until(() ->
                                around.count("orders WHERE status = 'CANCELLED'") == sent.size());

                assertThat(workers(around, sent.size() - MANY)).hasSize(2);
                await().until(() -> right.health() + ahead.health() == 400);
            }
            assertPace(around);
            assertClosedInTime(around);
            assertBooks(around);
        }
    }

    /** When each row was written and closed, which no instance has a say in. */
    private static void logTimes(AroundTheService around) {
        around.sql.execute("CREATE TABLE seen (order_sn CHAR(24) CHARACTER SET ascii, status"
                + " VARCHAR(9), at_ms BIGINT, PRIMARY KEY (order_sn, status))");
        for (String event : List.of("INSERT", "UPDATE")) {
            around.sql.execute("CREATE TRIGGER seen_" + event + " AFTER " + event + " ON orders FOR"
                    + " EACH ROW INSERT INTO seen VALUES (NEW.order_sn, NEW.status, " + DATABASE_MS
                    + ")");
        }
    }

    /** As it dates its answers. */
    private static long clockMs(ServiceProcess service) throws IOException {
        return service.uri("/actuator/health").toURL().openConnection().getDate();
    }

    /** One message to each queue, and another. */
    private void awaitBothWrite(AroundTheService around) {
        await().atMost(LONG).until(() -> {
            int before = sent.size();
            IntStream.range(0, 8).forEach(n -> send(around, 1));
            await().atMost(LONG).until(() -> around.orders() == sent.size());
            return workers(around, before).size() == 2;
        });
    }

    /** That have written orders of the reservations after so many. */
    private static List<String> workers(AroundTheService around, int after) {
        return around.sql.queryForList(
                "SELECT DISTINCT SUBSTR(order_sn, 14, 2) FROM orders WHERE seq > ?",
                String.class,
                after);
    }

    private void send(AroundTheService around, int count) {
        List<Reservation> next = IntStream.rangeClosed(sent.size() + 1, sent.size() + count)
                .mapToObj(AroundTheService::reservation)
                .toList();
        around.send(next);
        sent.addAll(next);
    }

    /** The database and Redis have the same clock. */
    private static void assertPace(AroundTheService around) {
        assertThat(around.sql.queryForList(
                        "SELECT COUNT(*) FROM orders GROUP BY created_at_ms DIV 1000", Long.class))
                .as("dated in one second")
                .allMatch(count -> count <= PER_SECOND)
                .contains((long) PER_SECOND);
        assertThat(leastMs(around, "UNPAID", "created_at_ms"))
                .as("from its date to its writing")
                .isNotNegative();
    }

    private static void assertClosedInTime(AroundTheService around) {
        assertThat(leastMs(around, "CANCELLED", "pay_by_ms"))
                .as("from its time to its closing")
                .isNotNegative();
        assertThat(around.count("orders WHERE pay_by_ms <> created_at_ms + 1000 * " + PAY_WITHIN_S))
                .isZero();
    }

    private static long leastMs(AroundTheService around, String status, String since) {
        return around.sql.queryForObject(
                "SELECT MIN(at_ms - " + since + ") FROM seen JOIN orders USING (order_sn)"
                        + " WHERE seen.status = ?",
                Long.class,
                status);
    }

    private void assertBooks(AroundTheService around) {
        List<String> all = sent.stream().map(Reservation::reservationId).toList();
        assertThat(around.sql.queryForList("SELECT reservation_id FROM orders", String.class))
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(around.sql.queryForList(
                        "SELECT message_key FROM outbox_log WHERE topic = ?",
                        String.class,
                        StockReturn.TOPIC))
                .as("units go back once")
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(around.sql.queryForObject("SELECT sold FROM shard_ledger", Long.class))
                .isZero();
        assertThat(around.count("parked_message")).isZero();
    }
}
