package io.seckill.order.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.common.Address;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.OutboxLog;
import io.seckill.order.RelayKeys;
import io.seckill.rocketmq.RocketMqMessaging;
import io.seckill.testkit.FakeTime;
import io.seckill.testkit.KeyFile;
import io.seckill.testkit.MariaDbProcess;
import io.seckill.testkit.Metrics;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.RocketMqProcess;
import io.seckill.testkit.ServiceProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.flywaydb.core.Flyway;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;
import redis.clients.jedis.Jedis;

/** What the service needs to run as processes of its own, and one sale on one shard. */
final class AroundTheService implements AutoCloseable {

    private static final String PRODUCT = "518";

    final MariaDbProcess database = new MariaDbProcess();
    private final RedisProcess redis = new RedisProcess();
    private final RocketMqProcess broker = new RocketMqProcess();
    private final MessageSender sender;
    final JdbcTemplate sql;
    final TransactionTemplate transaction;

    AroundTheService(int allocated, Map<String, String> limits) {
        broker.createTopics(Reservation.TOPIC, OrderEvent.TOPIC, StockReturn.TOPIC);
        DriverManagerDataSource source = new DriverManagerDataSource(database.url(), "root", "");
        Flyway.configure().dataSource(source).load().migrate();
        sql = new JdbcTemplate(source);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(source));
        sell(PRODUCT, allocated);
        setLimits(limits);
        sender = new RocketMqMessaging("crash-it", Address.of(broker.namesrv())).sender();
        sender.start();
    }

    /** On one shard. */
    void sell(String product, int allocated) {
        sql.update(
                "INSERT INTO sale VALUES (?, 'Phone', 990, 1, 2, 2, 'off', 900, 1, FALSE, 'OPEN', 1)",
                product);
        addShard(product, 0, allocated);
    }

    void addShard(int shard, int allocated) {
        addShard(PRODUCT, shard, allocated);
    }

    private void addShard(String product, int shard, int allocated) {
        sql.update(
                "INSERT INTO shard_ledger VALUES (?, ?, ?, 0, 1, 0, 'OPEN', 1)",
                product,
                shard,
                allocated);
    }

    /** The service, which is down, has all of it before it again. */
    void replayTheTopic() {
        broker.rewind(Reservation.TOPIC, Reservation.GROUP);
    }

    /** Messages that are done, as the instances have told each other. */
    long done() {
        try (Jedis control = redis.connect()) {
            return control.hvals(RedisKeys.BACKLOG_DONE).stream()
                    .mapToLong(Long::parseLong)
                    .sum();
        }
    }

    /** Within a transaction: its row of the ledger, and no other, until that ends. */
    void holdShard(int shard) {
        sql.queryForList(
                "SELECT 1 FROM shard_ledger WHERE product_id = ? AND shard = ? FOR UPDATE",
                PRODUCT,
                shard);
    }

    /** In force within a second. */
    void setLimits(Map<String, String> limits) {
        try (Jedis control = redis.connect()) {
            control.hset(RedisKeys.LIMITS, limits);
        }
    }

    /** -1: nobody says it. */
    long estimatedWaitMs() {
        try (Jedis control = redis.connect()) {
            String said = control.get(RedisKeys.BACKLOG);
            return said == null
                    ? -1
                    : ((Number) Json.read(said, Map.class).get("estimatedWaitMs")).longValue();
        }
    }

    ServiceProcess startService() {
        return startService(database.url());
    }

    /** Which finds its database there. */
    ServiceProcess startService(String databaseUrl) {
        return startService(databaseUrl, "");
    }

    /** Which ends at this crash point. */
    ServiceProcess startServiceThatEnds(String crashAt) {
        return startService(database.url(), crashAt);
    }

    /** On a host whose clock is ahead, as libfaketime has it. */
    ServiceProcess startServiceAhead(Duration ahead) {
        Map<String, String> environment = new HashMap<>(environment(database.url(), ""));
        environment.putAll(FakeTime.ahead(ahead));
        ServiceProcess service = new ServiceProcess("order-service", environment);
        FakeTime.leaveNothingOf(service.pid());
        return service;
    }

    private ServiceProcess startService(String databaseUrl, String crashAt) {
        return new ServiceProcess("order-service", environment(databaseUrl, crashAt));
    }

    private Map<String, String> environment(String databaseUrl, String crashAt) {
        return Map.of(
                "SECKILL_CRASH_AT", crashAt,
                "SECKILL_DB_USER", "root",
                "SECKILL_DB_URL", databaseUrl,
                "SECKILL_CONTROL_REDIS", redis.uri(),
                "SECKILL_NAMESRV", broker.namesrv(),
                "SECKILL_RESERVATION_KEYS", RelayKeys.file().toString(),
                "SECKILL_PAYMENT_KEYS", KeyFile.of("k1 " + "s".repeat(32)).toString());
    }

    static Reservation reservation(int n) {
        return reservation(n, 0);
    }

    static Reservation reservation(int n, int shard) {
        return reservation(PRODUCT, n, shard);
    }

    static Reservation reservation(String product, int n, int shard) {
        String id = product + "%029x".formatted(n);
        return new Reservation(id, product, "user-" + n, 1, shard, 1, n, 5);
    }

    /** The rows of the ledger are taken in the order of their shards. */
    static List<Reservation> reservationsOfBothShards(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(n -> reservation(n, n % 2))
                .toList();
    }

    static void signal(String signal, long pid) {
        try {
            assertThat(new ProcessBuilder("kill", signal, Long.toString(pid))
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What was delivered again and has its row. */
    static long repeated(ServiceProcess service) {
        return Metrics.of("order", service.uri("/actuator/prometheus"))
                .sum("seckill_repeated_total");
    }

    /** In batches, as the relay does. */
    void send(List<Reservation> reservations) {
        List<Outgoing> all = reservations.stream()
                .map(r -> new Outgoing(r.reservationId(), RelayKeys.body(r)))
                .toList();
        for (int from = 0; from < all.size(); from += MessageSender.MAX_BATCH) {
            int to = Math.min(from + MessageSender.MAX_BATCH, all.size());
            assertThat(sender.send(Reservation.TOPIC, all.subList(from, to))).isTrue();
        }
    }

    /** In the table {@code outbox_log}. */
    void logOutbox() {
        OutboxLog.keep(sql);
    }

    /** Orders, rejected ones too. */
    long orders() {
        return count("orders");
    }

    long count(String table) {
        return sql.queryForObject("SELECT COUNT(*) FROM " + table, Long.class);
    }

    @Override
    public void close() {
        sender.stop();
        broker.close();
        redis.close();
        database.close();
    }
}
