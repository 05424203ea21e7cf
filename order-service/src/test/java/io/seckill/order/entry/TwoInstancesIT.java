package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import redis.clients.jedis.Jedis;

/** Two processes of the service on one database, of which one is killed and one is stopped. */
class TwoInstancesIT {

    private static final String PRODUCT = "518";
    private static final int STEP = 2_000; // reservations
    private static final Duration LONGER_THAN_A_SPAN = Duration.ofSeconds(13);

    private int sent;

    @Test
    void killed_and_stopped_instances_share_no_worker_and_make_no_number_twice() throws Exception {
        try (MariaDbProcess database = new MariaDbProcess();
                RedisProcess redis = new RedisProcess();
                RocketMqProcess broker = new RocketMqProcess()) {
            broker.createTopics(Reservation.TOPIC, OrderEvent.TOPIC, StockReturn.TOPIC);
            JdbcTemplate sql = prepare(database);
            try (Jedis control = redis.connect()) {
                control.hset(RedisKeys.LIMITS, Limits.ORDER_RATE_PER_SECOND, "1000000");
            }
            Map<String, String> environment = Map.of(
                    "SECKILL_DB_USER", "root",
                    "SECKILL_DB_URL", database.url(),
                    "SECKILL_CONTROL_REDIS", redis.uri(),
                    "SECKILL_NAMESRV", broker.namesrv(),
                    "SECKILL_PAYMENT_KEYS", KeyFile.of("k1 " + "s".repeat(32)).toString());
            try (ServiceProcess killed = new ServiceProcess("order-service", environment);
                    ServiceProcess stopped = new ServiceProcess("order-service", environment)) {
                MessageSender sender =
                        new RocketMqMessaging("two-it", Address.of(broker.namesrv())).sender();
                sender.start();
                awaitBothMakeNumbers(sql, sender);
                String owners = owners(sql);

                signal("-STOP", stopped);
                Thread.sleep(LONGER_THAN_A_SPAN.toMillis());
                killed.kill();
                killed.start();
                send(sender);
                await().atMost(Duration.ofSeconds(60)).until(() -> !owners(sql).equals(owners));
                signal("-CONT", stopped);

                awaitBothMakeNumbers(sql, sender);
                await().atMost(Duration.ofSeconds(90)).until(() -> rows(sql) == sent);
                sender.stop();
                assertThat(killed.output() + stopped.output()).doesNotContain("is taken");
            }
            assertThat(sql.queryForObject("SELECT COUNT(*) FROM parked_message", Long.class))
                    .isZero();
            assertThat(sql.queryForObject("SELECT sold FROM shard_ledger", Long.class))
                    .isEqualTo(sent);
        }
    }

    /** Sends until the numbers of one step are of two workers. */
    private void awaitBothMakeNumbers(JdbcTemplate sql, MessageSender sender) {
        await().atMost(Duration.ofSeconds(90)).until(() -> {
            String last = sql.queryForObject(
                    "SELECT COALESCE(MAX(LEFT(order_sn, 13)), '0') FROM orders", String.class);
            send(sender);
            await().atMost(Duration.ofSeconds(90)).until(() -> rows(sql) == sent);
            Set<String> workers = new TreeSet<>(sql.queryForList(
                    "SELECT DISTINCT SUBSTR(order_sn, 14, 2) FROM orders"
                            + " WHERE LEFT(order_sn, 13) > ?",
                    String.class,
                    last));
            return workers.size() == 2;
        });
    }

    private void send(MessageSender sender) {
        List<Outgoing> all = IntStream.rangeClosed(sent + 1, sent + STEP)
                .mapToObj(n ->
                        new Reservation("%032x".formatted(n), PRODUCT, "user-" + n, 1, 0, 1, n, 5))
                .map(r -> new Outgoing(r.reservationId(), Json.write(r)))
                .toList();
        for (int from = 0; from < STEP; from += MessageSender.MAX_BATCH) {
            int to = Math.min(from + MessageSender.MAX_BATCH, STEP);
            assertThat(sender.send(Reservation.TOPIC, all.subList(from, to))).isTrue();
        }
        sent += STEP;
    }

    private static JdbcTemplate prepare(MariaDbProcess database) {
        DriverManagerDataSource source = new DriverManagerDataSource(database.url(), "root", "");
        Flyway.configure().dataSource(source).load().migrate();
        JdbcTemplate sql = new JdbcTemplate(source);
        sql.execute("INSERT INTO sale VALUES (" + PRODUCT
                + ", 'Phone', 990, 1, 2, 2, 'off', 900, 1, FALSE, 'OPEN', 1)");
        sql.execute("INSERT INTO shard_ledger VALUES (" + PRODUCT
                + ", 0, 1000000, 0, 1, 0, 'OPEN', 1)");
        return sql;
    }

    private static long rows(JdbcTemplate sql) {
        return sql.queryForObject("SELECT COUNT(*) FROM orders", Long.class);
    }

    /** By worker. */
    private static String owners(JdbcTemplate sql) {
        return sql.queryForList(
                        "SELECT CONCAT(worker, '=', owner) FROM order_worker ORDER BY worker",
                        String.class)
                .toString();
    }

    private static void signal(String signal, ServiceProcess process) throws Exception {
        assertThat(new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }
}
