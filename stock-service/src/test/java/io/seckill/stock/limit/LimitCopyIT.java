package io.seckill.stock.limit;

import static io.seckill.contracts.Limits.GLOBAL_QPS;
import static io.seckill.contracts.Limits.ORDER_RATE_PER_SECOND;
import static io.seckill.contracts.Limits.PRODUCT_QPS;
import static io.seckill.contracts.Limits.QUOTA_PERCENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.Counters;
import io.seckill.contracts.RedisKeys;
import io.seckill.stock.Stock;
import io.seckill.testkit.Metrics;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class LimitCopyIT {

    private static int nextProduct = 260;

    private final Stock stock = Stock.running();
    private final String product = Integer.toString(nextProduct++);
    private final String hash = RedisKeys.productLimits(product);
    private Jedis control;

    @BeforeEach
    void openSale() {
        control = stock.control.connect();
        stock.create("{'productId':'" + product + "','stock':30}");
        soon(() -> assertThat(control.exists(RedisKeys.LIMITS_KEPT)).isTrue());
    }

    @AfterEach
    void disconnect() {
        control.close();
    }

    @Test
    void change_by_hand_is_kept_with_its_time_and_one_by_the_command_with_who_made_it() {
        long sinceMs = System.currentTimeMillis();
        control.hset(hash, PRODUCT_QPS, "7");
        awaitChanges(PRODUCT_QPS, "7 null");
        control.hset(hash, Map.of(PRODUCT_QPS, "0", PRODUCT_QPS + ".by", "0 alice@till-3"));
        awaitChanges(PRODUCT_QPS, "7 null", "0 alice@till-3");
        soon(() -> assertThat(control.hexists(hash, PRODUCT_QPS + ".by"))
                .as("counts once")
                .isFalse());
        control.hset(hash, PRODUCT_QPS, "9");
        awaitChanges(PRODUCT_QPS, "7 null", "0 alice@till-3", "9 null");
        assertThat(stock.sql()
                        .queryForList(
                                "SELECT changed_at_ms FROM limit_change WHERE product_id = ?",
                                Long.class,
                                product))
                .allSatisfy(
                        atMs -> assertThat(atMs).isBetween(sinceMs, System.currentTimeMillis()));
    }

    @Test
    void lost_limits_are_put_back_within_a_second_and_one_set_anew_meanwhile_stays() {
        control.hset(hash, Map.of(PRODUCT_QPS, "0", QUOTA_PERCENT, "100"));
        control.hset(RedisKeys.LIMITS, ORDER_RATE_PER_SECOND, "77");
        awaitChanges(PRODUCT_QPS, "0 null");
        awaitChanges(QUOTA_PERCENT, "100 null");
        soon(() -> assertThat(kept("", ORDER_RATE_PER_SECOND)).hasValue(77));
        LockSupport.parkNanos(
                Duration.ofMillis(600).toNanos()); // two turns of who reads the percent
        String mark = control.get(RedisKeys.LIMITS_KEPT);
        Metrics before = stock.metrics();

        loseAnd("redis.call('HSET', KEYS[1], '" + ORDER_RATE_PER_SECOND + "', '78')");

        soon(() -> assertThat(control.get(RedisKeys.LIMITS_KEPT)).isNotNull().isNotEqualTo(mark));
        assertThat(control.hgetAll(hash)).containsEntry(PRODUCT_QPS, "0");
        assertThat(control.hgetAll(hash)).containsEntry(QUOTA_PERCENT, "100");
        assertThat(control.hget(RedisKeys.LIMITS, ORDER_RATE_PER_SECOND)).isEqualTo("78");
        soon(() -> assertThat(kept("", ORDER_RATE_PER_SECOND)).hasValue(78));
        soon(() -> {
            Metrics after = stock.metrics();
            assertThat(after.objections()).isEmpty();
            assertThat(grown(before, after, "seckill_limits_overruled_total")).isEqualTo(1);
            assertThat(grown(before, after, "seckill_limits_put_back_total"))
                    .isGreaterThanOrEqualTo(2);
        });
        soon(() -> assertThat(stock.quota(product))
                .as("by the operator's percent, never by the default's")
                .containsEntry("total", "30"));
    }

    @Test
    void removed_limit_stays_removed_also_after_a_loss() {
        control.hset(hash, PRODUCT_QPS, "0");
        awaitChanges(PRODUCT_QPS, "0 null");
        control.hdel(hash, PRODUCT_QPS);
        control.hset(hash, PRODUCT_QPS + ".by", "default bob@till-3");
        awaitChanges(PRODUCT_QPS, "0 null", "null bob@till-3");
        lose();
        assertThat(control.hexists(hash, PRODUCT_QPS)).isFalse();
        assertThat(changes(PRODUCT_QPS)).hasSize(2);
    }

    @Test
    void bad_value_is_not_kept_and_a_hash_that_is_none_hinders_no_other() {
        control.hset(hash, PRODUCT_QPS, "5");
        awaitChanges(PRODUCT_QPS, "5 null");
        control.hset(hash, PRODUCT_QPS, "many");
        loseAnd("redis.call('SET', KEYS[1], 'text')");
        soon(() -> assertThat(control.exists(RedisKeys.LIMITS_KEPT)).isTrue());
        assertThat(control.hget(hash, PRODUCT_QPS)).isEqualTo("5");
        control.hset(hash, PRODUCT_QPS, "6");
        awaitChanges(PRODUCT_QPS, "5 null", "6 null");
        control.del(RedisKeys.LIMITS);
    }

    @Test
    void instances_keep_each_change_once_and_undo_none_while_all_is_lost_again_and_again() {
        List<LimitCopy> others = Stream.generate(this::instance).limit(3).toList();
        control.hset(hash, PRODUCT_QPS, "1000");
        awaitChanges(PRODUCT_QPS, "1000 null");
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Void>> turns = others.stream()
                .map(other -> CompletableFuture.runAsync(() -> turnUntil(isOver, other)))
                .toList();
        try {
            for (int value = 1001; value <= 1004; value++) {
                control.hset(hash, PRODUCT_QPS, Integer.toString(value));
                String written = value + " null";
                soon(() -> assertThat(last(changes(PRODUCT_QPS))).isEqualTo(written));
                lose();
                assertThat(control.hget(hash, PRODUCT_QPS)).isEqualTo(Integer.toString(value));
            }
        } finally {
            isOver.set(true);
        }
        turns.forEach(CompletableFuture::join);
        assertThat(changes(PRODUCT_QPS))
                .isEqualTo(IntStream.rangeClosed(1000, 1004)
                        .mapToObj(value -> value + " null")
                        .toList());
    }

    private static void turnUntil(AtomicBoolean isOver, LimitCopy copy) {
        while (!isOver.get()) {
            copy.turn();
        }
    }

    @Test
    void instance_that_was_halted_neither_writes_an_old_change_nor_puts_back_what_is_old() {
        LimitCopy halted = instance();
        control.hset(hash, PRODUCT_QPS, "3");
        awaitChanges(PRODUCT_QPS, "3 null");
        halted.turn();
        control.hset(hash, PRODUCT_QPS, "4");
        awaitChanges(PRODUCT_QPS, "3 null", "4 null");
        control.hset(hash, PRODUCT_QPS, "5");
        awaitChanges(PRODUCT_QPS, "3 null", "4 null", "5 null");
        halted.turn();
        halted.turn();
        assertThat(changes(PRODUCT_QPS)).hasSize(3);

        WrittenLimits written = stock.bean(WrittenLimits.class);
        Map<Limit, Long> old = Map.of(new Limit(product, PRODUCT_QPS), 3L);
        long longAgoMs = System.currentTimeMillis() - 2_000;
        assertThat(written.putBack(old, longAgoMs)).as("nothing is lost").isEmpty();
        control.del(hash, RedisKeys.LIMITS_KEPT);
        assertThat(written.putBack(old, longAgoMs)).as("too late").isEmpty();
        soon(() -> assertThat(control.hget(hash, PRODUCT_QPS)).isEqualTo("5"));
    }

    @Test
    void instance_that_was_down_finds_what_was_changed_meanwhile() {
        control.hset(RedisKeys.LIMITS, GLOBAL_QPS, "4321");
        soon(() -> assertThat(kept("", GLOBAL_QPS)).hasValue(4321));
        LimitCopy started = instance();
        assertThat(started.kept("", GLOBAL_QPS)).isEmpty();
        started.turn();
        assertThat(started.kept("", GLOBAL_QPS)).hasValue(4321);
        control.hdel(RedisKeys.LIMITS, GLOBAL_QPS);
        soon(() -> assertThat(kept("", GLOBAL_QPS)).isEmpty());
    }

    @Test
    void no_more_than_a_hundred_changes_of_a_limit_stay() {
        LimitCopy copy = instance();
        for (int value = 1; value <= 110; value++) {
            control.hset(hash, PRODUCT_QPS, Integer.toString(value));
            copy.turn();
            copy.turn();
        }
        soon(() -> assertThat(changes(PRODUCT_QPS)).hasSize(100).contains("110 null"));
    }

    /** Another stock-service, as far as limits go. */
    private LimitCopy instance() {
        LimitCopy copy = new LimitCopy(
                stock.bean(WrittenLimits.class),
                stock.bean(LimitMapper.class),
                stock.bean(Counters.class),
                Clock.systemUTC());
        copy.watch(Set.of(product));
        return copy;
    }

    /** All of the control Redis, and waits until it has its limits again. */
    private void lose() {
        control.flushAll();
        soon(() -> assertThat(control.exists(RedisKeys.LIMITS_KEPT)).isTrue());
    }

    /** In one instant, so that nobody puts back in between. */
    private void loseAnd(String command) {
        control.eval("redis.call('FLUSHALL') " + command, 1, RedisKeys.LIMITS);
    }

    private OptionalLong kept(String productId, String key) {
        return stock.bean(LimitCopy.class).kept(productId, key);
    }

    private void awaitChanges(String key, String... all) {
        soon(() -> assertThat(changes(key)).containsExactly(all));
    }

    /** {@code VALUE WHO} each, the first first. */
    private List<String> changes(String key) {
        return stock.sql()
                .query(
                        "SELECT value, changed_by FROM limit_change"
                                + " WHERE product_id = ? AND limit_key = ? ORDER BY change_no",
                        (row, n) -> row.getString(1) + " " + row.getString(2),
                        product,
                        key);
    }

    private static String last(List<String> all) {
        return all.get(all.size() - 1);
    }

    private static double grown(Metrics before, Metrics after, String name) {
        return after.sum(name) - before.sum(name);
    }

    /** "Within a second", and one more for a busy machine. */
    private static void soon(ThrowingRunnable holds) {
        await().atMost(Duration.ofSeconds(2))
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(holds);
    }
}
