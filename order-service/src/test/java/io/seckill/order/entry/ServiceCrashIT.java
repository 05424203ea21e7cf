package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.testkit.LongRun;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

@LongRun
class ServiceCrashIT {

    private static final int KILLS = 3;
    private static final int MESSAGES = 6_000;
    private static final int ALLOCATED = 5_500;

    @Test
    void killed_in_the_middle_of_batches_it_ends_each_reservation_once() {
        endsEachOnce(
                Map.of(Limits.ORDER_RATE_PER_SECOND, "1000000"),
                "UNPAID",
                ServiceCrashIT::assertOnlyTheLedgerRefused);
    }

    @Test
    void killed_while_it_rejects_what_is_late_it_ends_each_reservation_once() {
        endsEachOnce(
                Map.of(
                        Limits.ORDER_RATE_PER_SECOND, "100",
                        Limits.ORDER_BACKLOG_MAX_AGE_MS, "1000"),
                "REJECTED",
                sql -> assertThat(sql.queryForList(
                                "SELECT DISTINCT reason FROM orders WHERE status = 'REJECTED'",
                                String.class))
                        .containsExactly("BACKLOG"));
    }

    private static void endsEachOnce(
            Map<String, String> limits, String killedAt, Consumer<JdbcTemplate> more) {
        try (AroundTheService around = new AroundTheService(ALLOCATED, limits)) {
            around.logOutbox();
            List<Reservation> all = send(around);
            try (ServiceProcess service = around.startService()) {
                int bitten = 0;
                for (int kill = 1; kill <= KILLS; kill++) {
                    long before = rows(around.sql, killedAt);
                    await().atMost(Duration.ofSeconds(60))
                            .pollInterval(Duration.ofMillis(5))
                            .until(() -> rows(around.sql, killedAt) > before
                                    || around.orders() == MESSAGES);
                    service.kill();
                    bitten += around.orders() < MESSAGES ? 1 : 0;
                    service.start();
                }
                assertThat(bitten).as("kills while orders were being written").isPositive();
                await().atMost(Duration.ofSeconds(90)).until(() -> around.orders() == MESSAGES);
                await().atMost(Duration.ofSeconds(45)).until(() -> around.count("outbox") == 0);
            }
            assertThat(around.count("parked_message")).isZero();
            assertBooks(around.sql, all);
            more.accept(around.sql);
        }
    }

    /** Each once, and every third again; shuffled. */
    private static List<Reservation> send(AroundTheService around) {
        List<Reservation> all = IntStream.rangeClosed(1, MESSAGES)
                .mapToObj(AroundTheService::reservation)
                .toList();
        List<Reservation> sent = new ArrayList<>(all);
        IntStream.range(0, MESSAGES / 3).forEach(n -> sent.add(all.get(3 * n)));
        Collections.shuffle(sent, new Random(22));
        around.send(sent);
        return all;
    }

    private static void assertBooks(JdbcTemplate sql, List<Reservation> all) {
        assertThat(sql.queryForList("SELECT reservation_id FROM orders", String.class))
                .containsExactlyInAnyOrderElementsOf(
                        all.stream().map(Reservation::reservationId).toList());
        assertThat(sql.queryForMap("SELECT sold, last_seq FROM shard_ledger"))
                .isEqualTo(Map.of("sold", rows(sql, "UNPAID"), "last_seq", (long) MESSAGES));
        assertThat(sql.queryForList(
                        "SELECT message_key FROM outbox_log WHERE topic = ?",
                        String.class,
                        StockReturn.TOPIC))
                .as("units go back once")
                .containsExactlyInAnyOrderElementsOf(sql.queryForList(
                        "SELECT reservation_id FROM orders WHERE status = 'REJECTED'",
                        String.class));
    }

    private static void assertOnlyTheLedgerRefused(JdbcTemplate sql) {
        assertThat(sql.queryForList(
                        "SELECT status, COUNT(*) n FROM orders GROUP BY status ORDER BY status"))
                .containsExactly(
                        Map.of("status", "REJECTED", "n", (long) MESSAGES - ALLOCATED),
                        Map.of("status", "UNPAID", "n", (long) ALLOCATED));
    }

    private static long rows(JdbcTemplate sql, String status) {
        return sql.queryForObject(
                "SELECT COUNT(*) FROM orders WHERE status = ?", Long.class, status);
    }
}
