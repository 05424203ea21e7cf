package io.seckill.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.CrashPoint;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.quantity.Books;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.StockCount;
import io.seckill.testkit.LongRun;
import io.seckill.testkit.RedisProcess;
import io.seckill.testkit.ServiceProcess;
import io.seckill.testkit.TcpProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/**
 * The packaged service ends in the middle of its work, at each crash point of an attempt and of the
 * relay, and by kill -9. What it left is done by another process, with no help from the instance of
 * the other tests. All of it takes two minutes: without {@code -Dseckill.long=true} one point only.
 */
class ServiceCrashIT extends ProcessHop {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceCrashIT.class);
    private static final Duration TAKEN_OVER = Duration.ofSeconds(5);
    private static final int UNITS = 20;
    private static final int MANY = 100_000;
    private static final int CLIENTS = 8;
    private static final int SICK = 1;

    @TempDir
    private Path folder;

    @Autowired
    private ApplicationContext context;

    @Autowired
    private MessageSender sender;

    private final HeardReservations heard = new HeardReservations(product);
    private MessageConsumer consumer;

    static Stream<CrashPoint> points() {
        return Boolean.getBoolean(LongRun.PROPERTY)
                ? Stream.of(CrashPoint.values())
                        .filter(point -> point.title().matches("(attempt|relay)[.].*"))
                : Stream.of(CrashPoint.ATTEMPT_UNANSWERED);
    }

    private Stream<SmartLifecycle> helpers() {
        return Stream.of("reservationRelay", "unknownsLoop")
                .map(name -> context.getBean(name, SmartLifecycle.class));
    }

    @BeforeEach
    void listen() {
        helpers().forEach(SmartLifecycle::stop);
        consumer = messaging.consumer(
                "service-crash-" + product, Reservation.TOPIC, Reservation.class, heard, 1);
        consumer.start();
    }

    @AfterEach
    void stopListening() {
        consumer.stop();
        helpers().forEach(SmartLifecycle::start);
    }

    @ParameterizedTest
    @MethodSource("points")
    void process_that_ends_at_a_crash_point_leaves_each_unit_once_and_each_buyer_told(
            CrashPoint point) throws Exception {
        sell(UNITS, UNITS, UNITS);
        List<String> users = users(point);
        String lost = buyUntilEnd(point, users);
        if (point.title().startsWith("attempt")) {
            assertThat(lost).as("cut off in the middle").isNotEmpty();
            assertThat(holders().contains(lost)).isEqualTo(point != CrashPoint.ATTEMPT_MADE);
        }
        if (point != CrashPoint.ATTEMPT_MADE) {
            assertThat(waiting()).as("not handed over").isPositive();
        }

        try (ServiceProcess again = start(folder, Map.of())) {
            users.forEach(user -> assertThat(told(again, user))
                    .isIn(user.equals(lost) ? last(point) : List.of("ACCEPTED", "ALREADY_BOUGHT")));
            await().atMost(SOON).until(() -> waiting() == 0);
            assertEachOnce(users);
            users.forEach(user -> await().atMost(SOON)
                    .until(() ->
                            "ORDERED".equals(ask(again, "result", user).body().get("status"))));
        }
        if (point == CrashPoint.RELAY_CONFIRMED || point == CrashPoint.RELAY_DELETING) {
            await("sent again").atMost(SOON).until(() -> heard.all().size() > users.size());
        }
    }

    /** What the buyer who was cut off hears who tries again. */
    private static List<String> last(CrashPoint point) {
        return switch (point) {
            case ATTEMPT_MADE -> List.of("ACCEPTED");
            case ATTEMPT_UNANSWERED, ATTEMPT_TAKEN -> List.of("ALREADY_BOUGHT");
            default -> List.of("ACCEPTED", "ALREADY_BOUGHT");
        };
    }

    /** All at one shard where its replies are to be lost. */
    private List<String> users(CrashPoint point) {
        return point == CrashPoint.ATTEMPT_UNANSWERED
                ? IntStream.range(0, 9).mapToObj(i -> userAt(SICK, i)).toList()
                : users(9);
    }

    /** Who was told nothing; empty: everybody was told. */
    private String buyUntilEnd(CrashPoint point, List<String> users) throws IOException {
        try (TcpProxy proxy = new TcpProxy(SHARDS.get(SICK).address())) {
            proxy.open();
            String times = point == CrashPoint.ATTEMPT_MADE || point == CrashPoint.ATTEMPT_TAKEN
                    ? ":4"
                    : "";
            Map<String, String> settings = Map.of(
                    "SECKILL_CRASH_AT",
                    point.title() + "@" + product + times,
                    "SECKILL_SHARDS",
                    addresses(proxy));
            try (ServiceProcess dying = start(folder, settings)) {
                String lost = "";
                for (int i = 0; i < users.size() && lost.isEmpty(); i++) {
                    proxy.loseReplies(point == CrashPoint.ATTEMPT_UNANSWERED && i % 2 == 1);
                    lost = isTold(dying, users.get(i)) ? "" : users.get(i);
                }
                assertThat(dying.awaitEnd()).isEqualTo(137);
                assertThat(dying.output()).contains("the process ends at " + point.title());
                return lost;
            }
        }
    }

    private static String addresses(TcpProxy proxy) {
        return IntStream.range(0, SHARDS.size())
                .mapToObj(i ->
                        i == SICK ? "redis://" + proxy.address() : SHARDS.get(i).uri())
                .collect(Collectors.joining(","));
    }

    private boolean isTold(ServiceProcess service, String user) {
        try {
            return attempt(service, user).status() > 0;
        } catch (IllegalStateException e) {
            return false; // it has ended
        }
    }

    private String told(ServiceProcess service, String user) {
        return await().atMost(SOON)
                .until(() -> attempt(service, user), answer -> !isUntold(answer))
                .text("code");
    }

    /** In the shards and in the messages; then all are ordered. */
    private void assertEachOnce(List<String> users) {
        assertThat(holders()).containsExactlyInAnyOrderElementsOf(users);
        Map<String, String> kept = new HashMap<>();
        for (QuantityStock shard : shards.all()) {
            Books books = books(shard);
            StockCount stock = books.stock().orElseThrow();
            assertThat(stock.deducted()).isEqualTo(books.buyers().size());
            assertThat(stock.available()).isEqualTo(UNITS - stock.deducted());
            assertThat(books.reservations().keySet())
                    .containsExactlyInAnyOrderElementsOf(books.buyers().values());
            books.buyers().forEach((user, id) -> kept.put(id, user));
        }
        await().atMost(SOON).until(() -> heard.ids().containsAll(kept.keySet()));
        assertThat(heard.ids()).isSubsetOf(kept.keySet());
        sender.send(
                OrderEvent.TOPIC,
                kept.entrySet().stream()
                        .map(one -> new Outgoing(
                                one.getKey(), Json.write(ordered(one.getKey(), one.getValue()))))
                        .toList());
    }

    private OrderEvent ordered(String id, String user) {
        return new OrderEvent(
                id, product, user, 1, OrderEvent.Status.ORDERED, "1".repeat(24), 1, null);
    }

    /** As if the killed one had just taken each shard's lease. */
    @Test
    @LongRun
    void what_a_killed_process_took_is_sent_by_the_other_within_seconds() throws Exception {
        sell(MANY, MANY, MANY);
        AtomicInteger users = new AtomicInteger();
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try (ServiceProcess killed = start(folder.resolve("killed"), Map.of());
                ServiceProcess other = start(folder.resolve("other"), Map.of())) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.execute(() -> {
                    boolean goesOn = true;
                    while (goesOn) {
                        goesOn = isTold(killed, "user-" + users.incrementAndGet());
                    }
                });
            }
            await().atMost(SOON).until(() -> heard.all().size() > 500);
            SHARDS.forEach(ServiceCrashIT::leaseToTheDead);
            long startNs = System.nanoTime();
            killed.kill();
            long left = waiting();
            assertThat(left).as("cut off in the middle").isPositive();
            await().atMost(SOON).pollInterval(Duration.ofMillis(20)).until(() -> waiting() == 0);
            Duration took = Duration.ofNanos(System.nanoTime() - startNs);
            LOG.info("{} reservations of a killed process were sent within {}", left, took);
            assertThat(took).isLessThan(TAKEN_OVER);
            assertThat(other.health()).isEqualTo(200);
        } finally {
            clients.shutdown();
            assertThat(clients.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
        List<String> kept = shards.all().stream()
                .flatMap(shard -> books(shard).reservations().keySet().stream())
                .toList();
        await().atMost(SOON).untilAsserted(() -> assertThat(heard.ids()).containsAll(kept));
        assertThat(heard.ids()).isSubsetOf(kept);
    }

    private static void leaseToTheDead(RedisProcess shard) {
        try (Jedis jedis = shard.connect()) {
            jedis.set(RedisKeys.RELAY, "dead", SetParams.setParams().px(3_000));
        }
    }

    private long waiting() {
        return shards.all().stream()
                .mapToLong(shard -> surely(() -> shard.waiting(product)))
                .sum();
    }
}
