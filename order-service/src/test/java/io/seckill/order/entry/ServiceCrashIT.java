package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.message.MessageSender;
import io.seckill.contracts.Json;
import io.seckill.contracts.Limits;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.KeyFile;
import io.seckill.rocketmq.RocketMqMessaging;
import io.seckill.testkit.MariaDbProcess;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.RocketMqProcess;
import io.seckill.testkit.ServiceProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import redis.clients.jedis.Jedis;

class ServiceCrashIT {

    private static final int KILLS = 3;
    private static final int MESSAGES = 6_000;
    private static final int ALLOCATED = 5_500;
    private static final String PRODUCT = "518";

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
        try (MariaDbProcess database = new MariaDbProcess();
                RedisProcess redis = new RedisProcess();
                RocketMqProcess broker = new RocketMqProcess()) {
            broker.createTopics(Reservation.TOPIC, OrderEvent.TOPIC, StockReturn.TOPIC);
            JdbcTemplate sql = prepare(database);
            try (Jedis control = redis.connect()) {
                control.hset(RedisKeys.LIMITS, limits);
            }
            Map<String, String> environment = Map.of(
                    "SECKILL_DB_USER", "root",
                    "SECKILL_DB_URL", database.url(),
                    "SECKILL_CONTROL_REDIS", redis.uri(),
                    "SECKILL_NAMESRV", broker.namesrv(),
                    "SECKILL_PAYMENT_KEYS", KeyFile.of("k1 " + "s".repeat(32)).toString());
            List<Reservation> all = send(broker.namesrv());
            try (ServiceProcess service = new ServiceProcess("order-service", environment)) {
                int bitten = 0;
                for (int kill = 1; kill <= KILLS; kill++) {
                    long before = rows(sql, killedAt);
                    await().atMost(Duration.ofSeconds(60))
                            .pollInterval(Duration.ofMillis(5))
                            .until(() -> rows(sql, killedAt) > before || rows(sql) == MESSAGES);
                    service.kill();
                    bitten += rows(sql) < MESSAGES ? 1 : 0;
                    service.start();
                }
                assertThat(bitten).as("kills while orders were being written").isPositive();
                await().atMost(Duration.ofSeconds(90)).until(() -> rows(sql) == MESSAGES);
                await().atMost(Duration.ofSeconds(45)).until(() -> count(sql, "outbox") == 0);
            }
            assertBooks(sql, all);
            more.accept(sql);
        }
    }

    private static JdbcTemplate prepare(MariaDbProcess database) {
        DriverManagerDataSource source = new DriverManagerDataSource(database.url(), "root", "");
        Flyway.configure().dataSource(source).load().migrate();
        JdbcTemplate sql = new JdbcTemplate(source);
        sql.execute("INSERT INTO sale VALUES (" + PRODUCT
                + ", 'Phone', 990, 1, 2, 2, 'off', 900, 1, FALSE, 'OPEN', 1)");
        sql.execute("INSERT INTO shard_ledger VALUES (" + PRODUCT + ", 0, " + ALLOCATED
                + ", 0, 1, 0, 'OPEN', 1)");
        sql.execute("CREATE TABLE outbox_log LIKE outbox");
        sql.execute("CREATE TRIGGER log_outbox AFTER INSERT ON outbox FOR EACH ROW"
                + " INSERT INTO outbox_log VALUES"
                + " (NEW.id, NEW.topic, NEW.message_key, NEW.body, NEW.created_at_ms)");
        return sql;
    }

    /** Each once, and every third again; shuffled, as batches of the broker. */
    private static List<Reservation> send(String namesrv) {
        List<Reservation> all = IntStream.rangeClosed(1, MESSAGES)
                .mapToObj(n ->
                        new Reservation("%032x".formatted(n), PRODUCT, "user-" + n, 1, 0, 1, n, 5))
                .toList();
        List<Reservation> sent = new ArrayList<>(all);
        IntStream.range(0, MESSAGES / 3).forEach(n -> sent.add(all.get(3 * n)));
        Collections.shuffle(sent, new Random(22));
        MessageSender sender = new RocketMqMessaging("crash-it", Address.of(namesrv)).sender();
        sender.start();
        for (int from = 0; from < sent.size(); from += MessageSender.MAX_BATCH) {
            int to = Math.min(from + MessageSender.MAX_BATCH, sent.size());
            assertThat(sender.send(
                            Reservation.TOPIC,
                            sent.subList(from, to).stream()
                                    .map(r -> new MessageSender.Outgoing(
                                            r.reservationId(), Json.write(r)))
                                    .toList()))
                    .isTrue();
        }
        sender.stop();
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
        assertThat(count(sql, "parked_message")).isZero();
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

    private static long rows(JdbcTemplate sql) {
        return count(sql, "orders");
    }

    private static long count(JdbcTemplate sql, String table) {
        return sql.queryForObject("SELECT COUNT(*) FROM " + table, Long.class);
    }
}
