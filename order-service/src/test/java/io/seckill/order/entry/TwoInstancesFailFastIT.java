package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Two processes of the service that both have more to write than they may. */
class TwoInstancesFailFastIT {

    private static final int WARM_UP = 2_000;
    private static final int MANY = 10_000;
    private static final int PER_SECOND = 500;
    private static final int AGE_MS = 5_000;
    private static final int IN_TIME = PER_SECOND * AGE_MS / 1_000;
    private static final Duration LONG = Duration.ofSeconds(90);

    private int sent;

    @Test
    void instances_that_fail_fast_at_once_reject_what_one_would_and_no_buyer_twice()
            throws Exception {
        Map<String, String> limits = Map.of(Limits.ORDER_RATE_PER_SECOND, "1000000");
        try (AroundTheService around = new AroundTheService(1_000_000, limits)) {
            around.logOutbox();
            try (ServiceProcess one = around.startService();
                    ServiceProcess two = around.startService()) {
                awaitBothWrite(around);
                awaitEachKnowsTheOther();
                around.setLimits(Map.of(
                        Limits.ORDER_RATE_PER_SECOND, Integer.toString(PER_SECOND),
                        Limits.ORDER_BACKLOG_MAX_AGE_MS, Integer.toString(AGE_MS)));
                Thread.sleep(1_500);
                long startMs = System.currentTimeMillis();

                send(around, strangers(MANY));
                awaitAllEnded(around);

                List<String> rejected = rejected(around);
                assertBothRejected(around);
                assertThat(landedAfterTheLastRejection(around))
                        .as("still in time when the last was rejected")
                        .isBetween(IN_TIME * 6L / 10, IN_TIME * 14L / 10);

                List<Reservation> again = new ArrayList<>(strangers(rejected.size()));
                rejected.forEach(user -> again.add(reservation(user)));
                Collections.shuffle(again, new Random(9));
                send(around, again);
                awaitAllEnded(around);

                assertThat(around.sql.queryForList(
                                "SELECT user_id FROM orders WHERE status = 'REJECTED'"
                                        + " GROUP BY user_id HAVING COUNT(*) > 1",
                                String.class))
                        .as("rejected twice")
                        .isEmpty();
                assertThat(perSecondSince(around, startMs)).allMatch(n -> n <= PER_SECOND);
                assertThat(one.health() + two.health()).isEqualTo(400);
            }
            assertBooks(around);
        }
    }

    /** Until rows of one step are of two workers. */
    private void awaitBothWrite(AroundTheService around) {
        await().atMost(LONG).until(() -> {
            long sinceMs = System.currentTimeMillis();
            send(around, strangers(WARM_UP));
            awaitAllEnded(around);
            return workers(around, "created_at_ms >= " + sinceMs).size() == 2;
        });
    }

    /** They say so every five seconds. */
    private static void awaitEachKnowsTheOther() throws InterruptedException {
        Thread.sleep(6_000);
    }

    private void awaitAllEnded(AroundTheService around) {
        await().atMost(LONG).until(() -> around.orders() == sent);
    }

    private static List<String> rejected(AroundTheService around) {
        List<String> users = around.sql.queryForList(
                "SELECT user_id FROM orders WHERE status = 'REJECTED' AND reason = 'BACKLOG'",
                String.class);
        assertThat(users).hasSizeBetween(MANY / 5, MANY - 2 * IN_TIME + IN_TIME / 2);
        return users;
    }

    private static void assertBothRejected(AroundTheService around) {
        assertThat(workers(around, "reason = 'BACKLOG'")).hasSize(2);
    }

    private static List<String> workers(AroundTheService around, String which) {
        return around.sql.queryForList(
                "SELECT DISTINCT SUBSTR(order_sn, 14, 2) FROM orders WHERE " + which, String.class);
    }

    private static long landedAfterTheLastRejection(AroundTheService around) {
        return around.count("orders WHERE status = 'UNPAID' AND created_at_ms >"
                + " (SELECT MAX(closed_at_ms) FROM orders WHERE reason = 'BACKLOG')");
    }

    private static List<Long> perSecondSince(AroundTheService around, long startMs) {
        return around.sql.queryForList(
                "SELECT COUNT(*) FROM orders WHERE status = 'UNPAID' AND created_at_ms > ?"
                        + " GROUP BY created_at_ms DIV 1000",
                Long.class,
                startMs);
    }

    private void assertBooks(AroundTheService around) {
        assertThat(around.count("parked_message")).isZero();
        long rejected = around.count("orders WHERE status = 'REJECTED'");
        assertThat(around.sql.queryForObject("SELECT sold FROM shard_ledger", Long.class))
                .isEqualTo(sent - rejected);
        assertThat(around.sql.queryForList(
                        "SELECT message_key FROM outbox_log WHERE topic = ?",
                        String.class,
                        StockReturn.TOPIC))
                .as("units go back once")
                .containsExactlyInAnyOrderElementsOf(around.sql.queryForList(
                        "SELECT reservation_id FROM orders WHERE status = 'REJECTED'",
                        String.class));
    }

    private List<Reservation> strangers(int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> AroundTheService.reservation(++sent))
                .toList();
    }

    private Reservation reservation(String user) {
        Reservation next = AroundTheService.reservation(++sent);
        return new Reservation(
                next.reservationId(),
                next.productId(),
                user,
                next.quantity(),
                next.shard(),
                next.epoch(),
                next.seq(),
                next.reservedAtMs());
    }

    private static void send(AroundTheService around, List<Reservation> all) {
        around.send(all);
    }
}
