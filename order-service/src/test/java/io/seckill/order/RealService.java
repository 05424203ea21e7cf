package io.seckill.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Address;
import io.seckill.common.message.MessageHandler;
import io.seckill.contracts.Limits;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.OrderMapper;
import io.seckill.rocketmq.RocketMqMessaging;
import io.seckill.testkit.MariaDbProcess;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.RocketMqProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import redis.clients.jedis.Jedis;

/**
 * The service on a real MariaDB, Redis and RocketMQ, started once for every XIT that extends it.
 */
@SpringBootTest(
        classes = OrderApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
public abstract class RealService {

    protected static final MariaDbProcess DATABASE = new MariaDbProcess();
    protected static final RedisProcess REDIS = new RedisProcess();
    protected static final RocketMqProcess BROKER = broker();
    protected static final Heard<StockReturn> RETURNS =
            new Heard<>(StockReturn.TOPIC, StockReturn.class, StockReturn::reservationId);
    protected static final Heard<OrderEvent> EVENTS =
            new Heard<>(OrderEvent.TOPIC, OrderEvent.class, OrderEvent::reservationId);
    protected static final int PRICE = 990;

    private static final AtomicLong NEXT = new AtomicLong(System.currentTimeMillis());

    @Autowired
    protected JdbcTemplate sql;

    @Autowired
    protected MessageHandler<Reservation> handler;

    @Autowired
    protected OrderMapper orders;

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
    }

    /** A sale of its own for each test: so much for each shard, at most 2 units a user. */
    protected final String sale(int... allocated) {
        String product = Long.toString(NEXT.incrementAndGet());
        int total = IntStream.of(allocated).sum();
        sql.update(
                "INSERT INTO sale VALUES" + " (?, 'Phone', ?, 1, 2, 2, 'off', 900, ?, 'OPEN', 1)",
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

    protected static Reservation reservation(String product, String user, int shard) {
        String id = "%032x".formatted(NEXT.incrementAndGet());
        long nowMs = System.currentTimeMillis();
        return new Reservation(id, product, user, 1, shard, 1, NEXT.incrementAndGet(), nowMs);
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
        return orders.find(sn, user);
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

    protected final void makeDue(Order order) {
        sql.update("UPDATE orders SET pay_by_ms = 1 WHERE order_sn = ?", order.orderSn());
    }

    /** A3, A4 and Q4 for one product, from the tables and from what the broker delivered. */
    protected final void assertBooksBalance(String product) {
        assertLedgerHolds(product);
        List<String> ended = sql.queryForList(
                "SELECT reservation_id FROM orders"
                        + " WHERE product_id = ? AND status IN ('REJECTED', 'CANCELLED')",
                String.class,
                product);
        awaitTold();
        await().atMost(Duration.ofSeconds(45))
                .untilAsserted(() -> assertThat(RETURNS.keysOf(product, StockReturn::productId))
                        .containsExactlyInAnyOrderElementsOf(ended));
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
    }

    protected final void awaitTold() {
        await().atMost(Duration.ofSeconds(45))
                .until(() -> sql.queryForObject("SELECT COUNT(*) FROM outbox", Long.class) == 0);
    }

    /** Runs them at once, each on its own thread, and fails with the first that failed. */
    protected static void atOnce(List<? extends Callable<?>> works) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(works.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Callable<?> work : works) {
                running.add(threads.submit(work));
            }
            for (Future<?> one : running) {
                one.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Everything a topic delivered, by reservation. */
    protected static final class Heard<T> implements MessageHandler<T> {

        private final Map<String, List<T>> messages = new ConcurrentHashMap<>();
        private final Function<T, String> key;

        Heard(String topic, Class<T> type, Function<T, String> key) {
            this.key = key;
            new RocketMqMessaging("order-it", Address.of(BROKER.namesrv()))
                    .consumer("test-" + topic, topic, type, this, 1)
                    .start();
        }

        @Override
        public void handle(List<T> delivered) {
            delivered.forEach(message -> messages.computeIfAbsent(
                            key.apply(message), id -> new CopyOnWriteArrayList<>())
                    .add(message));
        }

        @Override
        public void park(String topic, String messageId, String body, String reason) {
            throw new AssertionError(topic + " carries what cannot be read: " + body);
        }

        /**
         * In the order heard, each distinct message once: at least once is all that is promised.
         */
        public List<T> of(String reservationId) {
            return messages.getOrDefault(reservationId, List.of()).stream()
                    .distinct()
                    .toList();
        }

        List<String> keysOf(String product, Function<T, String> productOf) {
            return messages.values().stream()
                    .map(list -> list.get(0))
                    .filter(message -> product.equals(productOf.apply(message)))
                    .map(key)
                    .toList();
        }
    }
}
