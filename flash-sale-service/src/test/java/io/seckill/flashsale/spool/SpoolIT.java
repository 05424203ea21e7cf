package io.seckill.flashsale.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.Counters;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.FlashSaleProperties;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.attempt.AllDownListener.Wish;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptOutcome.Pending;
import io.seckill.flashsale.attempt.AttemptService;
import io.seckill.flashsale.attempt.MarkFinder;
import io.seckill.flashsale.query.ResultStore;
import io.seckill.flashsale.spool.Spool.Bounds;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;

/** Attempts while every shard is down. */
class SpoolIT extends Hop {

    private static final Map<String, String> PENDING = Map.of("status", "PENDING");
    private static final Duration SOON = Duration.ofSeconds(20);

    @Autowired
    private Spool spool;

    @Autowired
    private AttemptService attempts;

    @Autowired
    private MarkFinder marks;

    @Autowired
    private ResultStore results;

    @Autowired
    private FlashSaleProperties properties;

    @TempDir
    private Path folder;

    private final Set<Integer> down = new TreeSet<>();

    @AfterEach
    void backAgain() {
        allBack();
    }

    @Test
    void attempts_without_a_shard_are_pending_and_get_their_units_once_one_is_back() {
        sell(20, 20, 20);
        List<String> users =
                IntStream.range(0, 12).mapToObj(i -> userAt(i % 3, i)).toList();
        allDown();
        List<String> ids = users.stream().map(user -> pending(user, "2")).toList();
        users.forEach(user -> assertThat(result(user).body()).isEqualTo(PENDING));
        allBack();
        await().atMost(SOON).until(() -> spool.copy().size() == 0);
        for (int i = 0; i < users.size(); i++) {
            String user = users.get(i);
            assertThat(held(user)).as("in one shard").hasSize(1);
            String atHome = books(shards.get(i % 3)).buyers().get(user);
            assertThat(atHome).as("under the id that was told").isIn(ids.get(i), null);
            assertThat(result(user).body()).isEqualTo(PENDING);
        }
        assertThat(available()).isEqualTo(60 - 24);
        results.store(List.of(ordered(held(users.get(0)).get(0), users.get(0))));
        assertThat(result(users.get(0)).text("status")).isEqualTo("ORDERED");
    }

    @Test
    void user_who_tries_twice_has_one_id_and_one_unit() {
        sell(5, 5, 5);
        String user = userAt(0, 1);
        allDown();
        String id = pending(user, "1");
        assertThat(pending(user, "1")).isEqualTo(id);
        allBack();
        await().atMost(SOON).until(() -> spool.copy().size() == 0);
        assertThat(deduct(user).text("code")).isEqualTo("ALREADY_BOUGHT");
        assertThat(available()).isEqualTo(14);
    }

    @Test
    void same_key_is_given_the_same_202_while_it_waits_and_the_same_id_once_it_is_made() {
        sell(5, 5, 5);
        String user = userAt(0, 1);
        allDown();
        Answer first = keyed(user, "a-key");
        assertThat(first.text("code")).isEqualTo("PENDING");
        for (Answer again : List.of(keyed(user, "a-key"), keyed(user, "another"))) {
            assertThat(again.status()).isEqualTo(202);
            assertThat(again.body()).isEqualTo(first.body());
        }
        back(0); // its home: it is made there, under the id that was told
        await().atMost(SOON).until(() -> spool.copy().size() == 0);
        allBack();
        Answer made = keyed(user, "a-key");
        assertThat(made.status()).as(made.response().body()).isEqualTo(202);
        assertThat(made.text("code")).isEqualTo("ACCEPTED");
        assertThat(made.text("reservationId")).isEqualTo(first.text("reservationId"));
        assertThat(keyed(user, "another").text("code")).isEqualTo("ALREADY_BOUGHT");
        assertThat(available()).isEqualTo(14);
    }

    /** One shard is left, for whose users it is no home: each gets an id that was not told. */
    @Test
    void units_of_another_shard_than_home_are_pending_till_their_order_and_leave_nothing_open() {
        sell(5, 5, 5);
        String user = userAt(0, 1);
        allDown();
        String told = pending(user, "1");
        back(1);
        await().atMost(SOON).until(() -> spool.copy().size() == 0);
        String id = books(shards.get(1)).buyers().get(user);
        assertThat(id).isNotNull().isNotEqualTo(told);
        assertThat(result(user).body()).isEqualTo(PENDING);
        results.store(List.of(ordered(id, user)));
        allBack();
        assertThat(open(told, user))
                .as("what was told first keeps nobody waiting")
                .isFalse();
    }

    @Test
    void two_instances_with_the_same_user_sell_one_unit() {
        sell(5, 5, 5);
        String user = userAt(2, 1);
        allDown();
        String first = pending(user, "1");
        try (Instance other = new Instance(folder)) {
            String second = other.pending(user);
            assertThat(second).isNotEqualTo(first);
            allBack();
            await().atMost(SOON).until(() -> {
                other.replay.replay();
                return spool.copy().size() + other.spool.copy().size() == 0;
            });
            assertThat(available()).isEqualTo(14);
            String held = held(user).get(0);
            for (String told : List.of(first, second)) {
                assertThat(told.equals(held) || !open(told, user)).isTrue();
            }
        }
    }

    @Test
    void instance_that_was_killed_takes_its_units_after_the_restart_and_none_twice()
            throws IOException {
        sell(20, 20, 20);
        List<String> users =
                IntStream.range(0, 9).mapToObj(i -> userAt(i % 3, i)).toList();
        allDown();
        Path beforeReplay = folder.resolve("before");
        try (Instance killed = new Instance(folder.resolve("killed"))) {
            users.forEach(killed::pending);
            copy(folder.resolve("killed"), beforeReplay);
            allBack();
            killed.emptied();
        }
        // As if it had been killed when all was taken and nothing of that written down.
        try (Instance again = new Instance(beforeReplay)) {
            assertThat(again.spool.copy().size()).isEqualTo(9);
            again.emptied();
        }
        assertThat(available()).isEqualTo(51);
        users.forEach(user -> assertThat(result(user).body()).isEqualTo(PENDING));
    }

    @Test
    void expired_one_is_told_so_and_takes_nothing() {
        sell(5, 5, 5);
        String user = userAt(1, 1);
        try (Instance own = new Instance(folder)) {
            own.keep(user, System.currentTimeMillis() - 1);
            own.replay.replay();
            assertThat(own.spool.copy().size()).isZero();
        }
        assertThat(result(user).body()).isEqualTo(rejectedAs("EXPIRED"));
        assertThat(available()).isEqualTo(15);
    }

    /** A unit that it took, perhaps, is in a shard that nobody can ask. */
    @Test
    void expired_one_that_was_perhaps_sent_is_told_nothing_before_the_shards_have_told()
            throws IOException {
        sell(5, 5, 5);
        String taker = userAt(1, 1);
        String loser = userAt(1, 2);
        long soonMs = System.currentTimeMillis() + 2_000;
        try (Instance own = new Instance(folder.resolve("own"))) {
            own.keep(taker, soonMs);
            own.keep(loser, soonMs);
            copy(folder.resolve("own"), folder.resolve("copy"));
        }
        String id = ((AttemptOutcome.Accepted) attempts.replay(wish(taker)).join()).reservationId();
        assertThat(id).isEqualTo(id(taker));
        allDown();
        await().until(() -> System.currentTimeMillis() > soonMs);
        try (Instance again = new Instance(folder.resolve("copy"))) {
            again.replay.replay();
            assertThat(again.spool.copy().size()).isEqualTo(2);
            assertThat(result(taker).body()).isEqualTo(PENDING);
            allBack();
            again.emptied();
        }
        assertThat(result(taker).body()).isEqualTo(PENDING);
        assertThat(result(loser).body()).isEqualTo(rejectedAs("EXPIRED"));
    }

    @Test
    void one_whose_sale_has_ended_is_told_so() {
        sell(Map.of("end_at_ms", Long.toString(System.currentTimeMillis() + 3_000)), 5, 5, 5);
        String late = userAt(1, 1);
        try (Instance own = new Instance(folder)) {
            own.keep(late, System.currentTimeMillis() + 60_000);
            await().until(() -> sales.open(product).either(sale -> false, refusal -> true));
            own.replay.replay();
            assertThat(own.spool.copy().size()).isZero();
        }
        assertThat(result(late).body()).isEqualTo(rejectedAs("ENDED"));
    }

    @Test
    void one_that_finds_nothing_left_is_told_so() {
        sell(0, 0, 0);
        String user = userAt(1, 1);
        try (Instance own = new Instance(folder)) {
            own.keep(user, System.currentTimeMillis() + 60_000);
            own.emptied();
        }
        assertThat(result(user).body()).isEqualTo(rejectedAs("SOLD_OUT"));
    }

    /** The first is kept before it ends; of the second, the control Redis hears only then. */
    @Test
    void one_of_whose_user_as_much_is_kept_as_may_be_is_told_in_place_of_the_oldest() {
        sell(5, 5, 5);
        List<String> users = List.of(userAt(1, 1), userAt(1, 2));
        users.forEach(user -> results.store(IntStream.range(0, 20)
                .mapToObj(n -> "%032x".formatted(n + 1))
                .map(id -> new OrderEvent(
                        id,
                        product,
                        user,
                        1,
                        OrderEvent.Status.CANCELLED,
                        "1".repeat(24),
                        1,
                        "PAY_TIMEOUT"))
                .toList()));
        try (Instance own = new Instance(folder)) {
            own.keep(users.get(0), System.currentTimeMillis() - 1);
            assertThat(result(users.get(0)).body()).isEqualTo(PENDING);
            own.spool
                    .keep(Spooled.of(wish(users.get(1)), System.currentTimeMillis() - 1))
                    .join();
            own.emptied();
        }
        for (String user : users) {
            assertThat(result(user).body()).isEqualTo(rejectedAs("EXPIRED"));
            onControl(jedis -> assertThat(jedis.hkeys(RedisKeys.result(product, user)))
                    .hasSize(20)
                    .contains(id(user))
                    .doesNotContain("%032x".formatted(1)));
        }
    }

    /** They speak: nobody need wait for them on a disk. */
    @Test
    void shards_that_are_all_damaged_are_busy_as_ever() {
        sell(5, 5, 5);
        SHARDS.forEach(shard -> {
            try (var jedis = shard.connect()) {
                jedis.hset(RedisKeys.stock(product), "available", "5.0");
            }
        });
        assertThat(deductOnce(userAt(0, 1), "1").status()).isEqualTo(503);
    }

    @Test
    void shard_that_answers_for_itself_leaves_the_others_busy_as_ever() {
        sell(0, 5, 5);
        down(1, 2);
        Answer answer = deductOnce(userAt(0, 1), "1");
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header(EdgeHeaders.CODE)).isEqualTo("BUSY");
        assertThat(spool.copy().size()).isZero();
    }

    @Test
    void synthetic_sale_is_busy_as_ever() {
        sell(Map.of("synthetic", "1"), 5, 5, 5);
        allDown();
        assertThat(deductOnce(userAt(0, 1), "1").status()).isEqualTo(503);
        assertThat(spool.copy().size()).isZero();
    }

    @Test
    void full_spool_is_busy() {
        sell(5, 5, 5);
        try (Instance full = new Instance(folder, new Bounds(1, 1 << 30))) {
            full.pending(userAt(0, 1));
            assertThat(full.entry.allDown(wish(userAt(0, 2))).join())
                    .isEqualTo(AttemptOutcome.refused(Refusal.BUSY));
            assertThat(result(userAt(0, 2)).body()).isEqualTo(Map.of("status", "NONE"));
        }
    }

    private List<String> held(String user) {
        return shards.all().stream()
                .flatMap(shard -> Stream.ofNullable(books(shard).buyers().get(user)))
                .toList();
    }

    private void allDown() {
        down(0, 1, 2);
    }

    /** And known to be: what is sent on a connection that has just died is PENDING, not spooled. */
    private void down(int... killed) {
        for (int shard : killed) {
            SHARDS.get(shard).kill();
            down.add(shard);
            await().until(() -> shards.get(shard)
                    .markAsync(product, "nobody")
                    .handle((mark, failure) -> failure != null)
                    .join());
        }
    }

    private void back(int shard) {
        down.remove(shard);
        takeBack(shard);
    }

    private void allBack() {
        List.copyOf(down).forEach(this::back);
    }

    private String pending(String user, String quantity) {
        Answer answer = deductOnce(user, quantity);
        assertThat(answer.status()).as(answer.response().body()).isEqualTo(202);
        assertThat(answer.text("code")).isEqualTo("PENDING");
        return answer.text("reservationId");
    }

    private Answer keyed(String user, String key) {
        return send(request("deduct", user)
                .header(EdgeHeaders.QUANTITY, "1")
                .header(EdgeHeaders.IDEMPOTENCY_KEY, key)
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    private boolean open(String id, String user) {
        boolean[] open = new boolean[1];
        onControl(jedis -> open[0] = jedis.hexists(RedisKeys.result(product, user), id));
        return open[0];
    }

    private static Map<String, String> rejectedAs(String reason) {
        return Map.of("status", "REJECTED", "reason", reason);
    }

    private static String id(String user) {
        return "%012x%020x"
                .formatted(System.currentTimeMillis() >>> 40 << 40, user.hashCode() & 0xffffffffL);
    }

    private Wish wish(String user) {
        return new Wish(product, user, id(user), 1, "", System.currentTimeMillis() + 600_000);
    }

    private OrderEvent ordered(String id, String user) {
        return new OrderEvent(
                id, product, user, 1, OrderEvent.Status.ORDERED, "1".repeat(24), 1, null);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        Files.copy(from.resolve(SpoolFile.NAME), to.resolve(SpoolFile.NAME));
    }

    /** Another instance, as far as its spool is concerned. */
    private final class Instance implements AutoCloseable {
        private final Spool spool;
        private final SpoolEntry entry;
        private final SpoolReplay replay;

        Instance(Path where) {
            this(where, Bounds.DEFAULT);
        }

        Instance(Path where, Bounds bounds) {
            Clock clock = Clock.systemUTC();
            Counters counters = new Counters(new SimpleMeterRegistry(), "flash-sale");
            spool = new Spool(where, bounds, Duration.ofMinutes(1), counters, clock);
            entry = new SpoolEntry(spool, results, clock, properties);
            replay = new SpoolReplay(spool, attempts, marks, results, sales, shards, clock);
        }

        String pending(String user) {
            return ((Pending) entry.allDown(wish(user)).join()).reservationId();
        }

        void keep(String user, long expiresAtMs) {
            spool.keep(Spooled.of(wish(user), expiresAtMs)).join();
            assertThat(results.storeSpooled(product, user, id(user), expiresAtMs)
                            .join())
                    .isTrue();
        }

        void emptied() {
            await().atMost(SOON).until(() -> {
                replay.replay();
                return spool.copy().size() == 0;
            });
        }

        @Override
        public void close() {
            spool.close();
        }
    }
}
