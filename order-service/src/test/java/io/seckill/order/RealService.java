package io.seckill.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.Limits;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.OrderMapper;
import io.seckill.rocketmq.RocketMqMessaging;
import io.seckill.testkit.KeyFile;
import io.seckill.testkit.MariaDbProcess;
import io.seckill.testkit.Metrics;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.RocketMqProcess;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import redis.clients.jedis.Jedis;

/**
 * The service on a real MariaDB, Redis and RocketMQ, started once for every XIT that extends it.
 */
@SpringBootTest(
        classes = OrderApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "management.prometheus.metrics.export.enabled=true")
public abstract class RealService {

    protected static final MariaDbProcess DATABASE = new MariaDbProcess();
    protected static final RedisProcess REDIS = new RedisProcess();
    protected static final RocketMqProcess BROKER = broker();
    protected static final Heard<StockReturn> RETURNS =
            new Heard<>(StockReturn.TOPIC, StockReturn.class, StockReturn::reservationId);
    protected static final Heard<OrderEvent> EVENTS =
            new Heard<>(OrderEvent.TOPIC, OrderEvent.class, OrderEvent::reservationId);
    protected static final int PRICE = 990;
    protected static final String PAYMENT_SECRET = "a-secret-of-payments-for-tests-only";

    private static final AtomicLong NEXT = new AtomicLong(System.currentTimeMillis());

    @LocalServerPort
    protected int port;

    @Autowired
    protected JdbcTemplate sql;

    @Autowired
    protected MessageHandler<Reservation> handler;

    @Autowired
    protected OrderMapper orders;

    @Autowired
    private MessageSender sender;

    /** Its topics are there before anybody listens, as in a running copy. */
    private static RocketMqProcess broker() {
        RocketMqProcess broker = new RocketMqProcess();
        broker.createTopics(Reservation.TOPIC, OrderEvent.TOPIC, StockReturn.TOPIC);
        return broker;
    }

    @DynamicPropertySource
    static void parts(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", DATABASE::url);
        registry.add("spring.datasource.username", () -> "root");
        registry.add("seckill.control-redis", REDIS::uri);
        registry.add("seckill.namesrv", BROKER::namesrv);
        registry.add("seckill.reservation-keys", RelayKeys.file()::toString);
        registry.add(
                "seckill.payment-keys", () -> KeyFile.of("k1 " + PAYMENT_SECRET).toString());
    }

    @BeforeAll
    static void logOutbox(@Autowired JdbcTemplate sql) {
        OutboxLog.keep(sql);
    }

    /** A sale of its own for each test: so much for each shard, at most 2 units a user. */
    protected final String sale(int... allocated) {
        String product = Long.toString(NEXT.incrementAndGet());
        int total = IntStream.of(allocated).sum();
        sql.update(
                "INSERT INTO sale VALUES"
                        + " (?, 'Phone', ?, 1, 2, 2, 'off', 900, ?, FALSE, 'OPEN', 1)",
                product,
                PRICE,
                total);
        for (int shard = 0; shard < allocated.length; shard++) {
            sql.update(
                    "INSERT INTO shard_ledger VALUES (?, ?, ?, 0, 1, 0, 'OPEN', 1)",
                    product,
                    shard,
                    allocated[shard]);
        }
        return product;
    }

    /** Through the real topic. */
    protected final void sendAll(List<Reservation> all) {
        for (int from = 0; from < all.size(); from += MessageSender.MAX_BATCH) {
            int to = Math.min(from + MessageSender.MAX_BATCH, all.size());
            assertThat(sender.send(
                            Reservation.TOPIC,
                            all.subList(from, to).stream()
                                    .map(r -> new Outgoing(r.reservationId(), RelayKeys.body(r)))
                                    .toList()))
                    .isTrue();
        }
    }

    protected static Reservation reservation(String product, String user, int shard) {
        String id = "%032x".formatted(NEXT.incrementAndGet());
        long nowMs = System.currentTimeMillis();
        return new Reservation(id, product, user, 1, shard, 1, NEXT.incrementAndGet(), nowMs);
    }

    protected static Reservation stamped(Reservation r, int epoch, long seq) {
        return new Reservation(
                r.reservationId(),
                r.productId(),
                r.userId(),
                r.quantity(),
                r.shard(),
                epoch,
                seq,
                r.reservedAtMs());
    }

    protected static List<Reservation> reservations(String product, int count, int shard) {
        return IntStream.range(0, count)
                .mapToObj(n -> reservation(product, "user-" + n, shard))
                .toList();
    }

    /** An unpaid order, written as any other. */
    protected final Order order(String product, String user) {
        Reservation reservation = reservation(product, user, 0);
        handler.handle(List.of(reservation));
        String sn = sql.queryForObject(
                "SELECT order_sn FROM orders WHERE reservation_id = ?",
                String.class,
                reservation.reservationId());
        return orders.find(sn, user).orElseThrow();
    }

    protected final long count(String product, String status) {
        return sql.queryForObject(
                "SELECT COUNT(*) FROM orders WHERE product_id = ? AND status = ?",
                Long.class,
                product,
                status);
    }

    protected final long sold(String product) {
        return sql.queryForObject(
                "SELECT SUM(sold) FROM shard_ledger WHERE product_id = ?", Long.class, product);
    }

    /** Orders a second; in force once the second it was set in is over. */
    protected static void setLimit(String limit) {
        try (Jedis redis = REDIS.connect()) {
            redis.hset(RedisKeys.LIMITS, Limits.ORDER_RATE_PER_SECOND, limit);
        }
        long setInSecond = System.currentTimeMillis() / 1_000;
        await().until(() -> System.currentTimeMillis() / 1_000 > setInSecond);
    }

    /** What the service has counted so far. */
    protected final Metrics metrics() {
        return Metrics.of("order", URI.create("http://127.0.0.1:" + port + "/actuator/prometheus"));
    }

    protected final void makeDue(Order order) {
        sql.update("UPDATE orders SET pay_by_ms = 1 WHERE order_sn = ?", order.orderSn());
    }

    /**
     * A3, A4 and Q4 for one product: each order that ended, and whose units were not lost, owes one
     * return, which was decided once and heard, and nothing else was; at least once is all that the
     * broker promises.
     */
    protected final void assertBooksBalance(String product) {
        assertLedgerHolds(product);
        List<StockReturn> owed = owed(product);
        assertThat(decided(StockReturn.TOPIC, StockReturn.class))
                .filteredOn(units -> units.productId().equals(product))
                .containsExactlyInAnyOrderElementsOf(owed);
        awaitTold();
        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(RETURNS.all())
                        .filteredOn(units -> units.productId().equals(product))
                        .containsExactlyInAnyOrderElementsOf(owed));
        assertThat(RETURNS.unreadable).isEmpty();
        assertThat(EVENTS.unreadable).isEmpty();
    }

    private List<StockReturn> owed(String product) {
        return sql.query(
                """
                        SELECT * FROM orders WHERE product_id = ?
                            AND status IN ('REJECTED', 'CANCELLED') AND reason <> 'LOST'""",
                (row, n) -> new StockReturn(
                        row.getString("reservation_id"),
                        product,
                        row.getString("user_id"),
                        row.getInt("quantity"),
                        row.getInt("shard"),
                        row.getInt("final_epoch"),
                        row.getString("reason").equals("LEDGER_FULL")
                                ? StockReturn.Action.BURN
                                : StockReturn.Action.RETURN,
                        row.getString("reason")),
                product);
    }

    /** Every message of the topic that a committed transaction wrote, each as often as it did. */
    protected final <T> List<T> decided(String topic, Class<T> type) {
        return sql
                .queryForList(
                        "SELECT body FROM outbox_log WHERE topic = ? ORDER BY id",
                        String.class,
                        topic)
                .stream()
                .map(body -> Json.read(body, type))
                .toList();
    }

    private void assertLedgerHolds(String product) {
        assertThat(sql.queryForList("""
                SELECT l.shard FROM shard_ledger l WHERE l.product_id = ? AND (l.sold > l.allocated
                    OR l.sold <> (SELECT COALESCE(SUM(o.quantity), 0) FROM orders o
                        WHERE o.product_id = l.product_id AND o.shard = l.shard
                            AND o.status IN ('UNPAID', 'PAID')))""", product)).isEmpty();
        assertThat(sql.queryForList("""
                SELECT user_id FROM orders WHERE product_id = ? AND status IN ('UNPAID', 'PAID')
                GROUP BY user_id HAVING COUNT(*) > 1""", product)).isEmpty();
        assertThat(sql.queryForList("""
                SELECT order_sn FROM orders WHERE product_id = ?
                    AND (final_epoch IS NULL)
                        <> (status IN ('UNPAID', 'PAID'))""", product)).isEmpty();
    }

    protected final void awaitTold() {
        await().atMost(Duration.ofSeconds(45))
                .until(() -> sql.queryForObject("SELECT COUNT(*) FROM outbox", Long.class) == 0);
    }

    /** Runs them at once, each on its own thread, and fails with the first that failed. */
    protected static void atOnce(List<? extends Callable<?>> works) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(works.size());
        CountDownLatch ready = new CountDownLatch(works.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Callable<?> work : works) {
                running.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    return work.call();
                }));
            }
            for (Future<?> one : running) {
                one.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Everything a topic delivered. */
    protected static final class Heard<T> implements MessageHandler<T> {

        private final Set<T> messages = Collections.synchronizedSet(new LinkedHashSet<>());
        private final List<String> unreadable = new CopyOnWriteArrayList<>();
        private final Function<T, String> key;

        Heard(String topic, Class<T> type, Function<T, String> key) {
            this.key = key;
            new RocketMqMessaging("order-it", Address.of(BROKER.namesrv()))
                    .consumer("test-" + topic, topic, type, this, 1)
                    .start();
        }

        @Override
        public void handle(List<T> delivered) {
            messages.addAll(delivered);
        }

        @Override
        public void park(String topic, String messageId, String body, String reason) {
            unreadable.add(body);
        }

        /** In the order heard, each distinct message once: the broker may deliver one twice. */
        List<T> all() {
            synchronized (messages) {
                return List.copyOf(messages);
            }
        }

        public List<T> of(String reservationId) {
            return all().stream()
                    .filter(message -> key.apply(message).equals(reservationId))
                    .toList();
        }
    }
}
