package io.seckill.order.booking;

import static io.seckill.contracts.Limits.ORDER_RATE_PER_SECOND;
import static io.seckill.contracts.RedisKeys.ORDER_INSTANCES;
import static io.seckill.contracts.RedisKeys.ORDER_RATE;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.order.TickingClock;
import io.seckill.testkit.RedisProcess;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

/** In real time, for the second is Redis's. */
class OrderRateIT {

    private static RedisProcess part;
    private static RedisClient redis;

    private final OrderRate here = rate(limits(), Clock.systemUTC());
    private final OrderRate there = rate(limits(), Clock.systemUTC());

    /** As long as operators set nothing that was kept. */
    private static OrderLimits limits() {
        return new OrderLimits(redis, key -> null);
    }

    @BeforeAll
    static void start() {
        part = new RedisProcess();
        String[] address = part.address().split(":");
        redis = RedisClient.builder()
                .hostAndPort(new HostAndPort(address[0], Integer.parseInt(address[1])))
                .build();
    }

    @AfterAll
    static void stop() {
        redis.close();
        part.close();
    }

    @BeforeEach
    void allowSevenFromTheBeginningOfASecond() {
        redis.flushAll();
        redis.set(RedisKeys.LIMITS_KEPT, "1");
        setLimit("7");
        awaitNextSecond();
    }

    @Test
    void instances_share_the_permits_of_a_second_and_wait_for_the_next() {
        OrderRate.Permit first = here.take(5);
        assertThat(first.count()).isEqualTo(5);
        assertThat(there.take(5).count()).isEqualTo(2);
        assertThat(redis.hget(ORDER_RATE, "used")).isEqualTo("7");
        assertThat(redis.ttl(ORDER_RATE)).isBetween(1L, 5L);

        OrderRate.Permit next = there.take(1);
        assertThat(next.count()).isEqualTo(1);
        assertThat(second(next)).isEqualTo(second(first) + 1);
    }

    @Test
    void no_second_passes_the_limit_and_none_is_wasted_whatever_the_instances_clocks_say() {
        long nowMs = System.currentTimeMillis();
        ConcurrentLinkedQueue<OrderRate.Permit> permits = new ConcurrentLinkedQueue<>();
        long endMs = nowMs + 3_500;
        List<CompletableFuture<Void>> instances = Stream.of(-3_000, 0, 3_000)
                .map(skew -> rate(limits(), new TickingClock(nowMs + skew)))
                .map(rate -> CompletableFuture.runAsync(() -> {
                    while (System.currentTimeMillis() < endMs) {
                        permits.add(rate.take(2));
                    }
                }))
                .toList();
        instances.forEach(CompletableFuture::join);

        Map<Long, Integer> bySecond = permits.stream()
                .collect(groupingBy(OrderRateIT::second, summingInt(OrderRate.Permit::count)));
        assertThat(bySecond).hasSizeGreaterThanOrEqualTo(4);
        long last = bySecond.keySet().stream().max(Long::compare).orElseThrow();
        bySecond.remove(last);
        assertThat(bySecond.values()).containsOnly(7);
    }

    @Test
    void new_limit_counts_from_the_next_second_for_everybody() {
        begin(redisMs() / 1_000 + 3, 1);
        setLimit("3");
        assertThat(here.take(100).count()).isEqualTo(6);
        assertThat(there.take(100).count()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "abc", "0", "-1", "1e9", "07", "9999999999", "nan"})
    void bad_limit_keeps_the_last_good_one(String bad) {
        here.take(7);
        setLimit(bad);
        assertThat(here.take(100).count()).isEqualTo(7);
    }

    @Test
    void removed_limit_is_the_default_again() {
        here.take(7);
        redis.del(RedisKeys.LIMITS);
        assertThat(here.take(1_000).count()).isEqualTo((int) Limits.initial(ORDER_RATE_PER_SECOND));
    }

    @Test
    void limit_that_the_control_redis_has_lost_stays_until_it_is_back() {
        here.take(7);
        redis.flushAll();
        assertThat(here.take(1_000).count()).isEqualTo(7);
        setLimit("9");
        assertThat(takeOfNextSecond()).as("set before the lost ones are back").isEqualTo(9);
        redis.del(RedisKeys.LIMITS);
        assertThat(takeOfNextSecond()).isEqualTo(9);
        redis.set(RedisKeys.LIMITS_KEPT, "2");
        assertThat(takeOfNextSecond()).isEqualTo((int) Limits.initial(ORDER_RATE_PER_SECOND));
    }

    private int takeOfNextSecond() {
        awaitNextSecond();
        return here.take(1_000).count();
    }

    /** Of a Redis that lost all before it started, it asks the database. */
    @Test
    void instance_that_starts_without_a_redis_that_knows_has_what_the_database_keeps() {
        redis.flushAll();
        OrderRate late = rate(new OrderLimits(redis, key -> 3L), Clock.systemUTC());
        assertThat(late.take(1_000).count()).isEqualTo(3);
        redis.set(RedisKeys.LIMITS_KEPT, "2");
        setLimit("8");
        awaitNextSecond();
        assertThat(late.take(1_000).count()).isEqualTo(8);
    }

    @Test
    void instance_that_starts_without_redis_leaves_their_part_to_those_the_database_knows() {
        OrderRate late =
                new OrderRate(redis, limits(), Clock.systemUTC(), () -> 2, OrderRate::sleep);
        late.tryTake(0);
        part.kill();
        try {
            late.sayPresent();
            assertThat(late.health().getDetails()).containsEntry("instances", 3L);
            assertThat(late.take(7).count()).as("a third of 7").isEqualTo(2);
        } finally {
            part.start();
        }
        late.sayPresent();
        assertThat(late.health().getDetails()).containsEntry("instances", 1L);
    }

    @Test
    void instance_without_redis_goes_on_with_its_part_and_says_so() {
        here.sayPresent();
        there.sayPresent();
        here.sayPresent();
        assertThat(redis.ttl(ORDER_INSTANCES)).isBetween(1L, 15L);
        assertThat(here.take(2).count()).isEqualTo(2);
        part.kill();
        try {
            assertThat(here.take(7).count()).as("3 are half of 7, 2 were given").isEqualTo(1);
            assertThat(here.health().getDetails())
                    .containsEntry("alone", true)
                    .containsEntry("instances", 2L);
            assertThat(here.take(7).count()).isEqualTo(3);
            assertThat(redisUp(here)).isZero();
            there.sayPresent();
            assertThat(redisUp(there)).as("also while it takes no orders").isZero();
        } finally {
            part.start();
        }
        awaitNextSecond();
        assertThat(here.take(5).count()).isEqualTo(5);
        assertThat(here.health().getDetails()).containsEntry("alone", false);
        there.sayPresent();
        assertThat(redisUp(there)).isOne();
    }

    /** A second that others have filled by Redis's clock is not filled again by a wrong one. */
    @ParameterizedTest
    @ValueSource(longs = {-3_000, 3_000, -3_600_000})
    void instance_without_redis_goes_on_by_the_time_that_redis_had(long skewMs) {
        Clock wrong = Clock.offset(Clock.systemUTC(), Duration.ofMillis(skewMs));
        OrderRate skewed = rate(limits(), wrong);
        skewed.sayPresent();
        OrderRate.Permit last = here.take(7);
        part.kill();
        try {
            OrderRate.Permit alone = skewed.take(1);
            assertThat(second(alone)).isGreaterThanOrEqualTo(second(last));
            assertThat(alone.atMs()).isLessThan(System.currentTimeMillis() + 100);
        } finally {
            part.start();
        }
    }

    /** By FLUSHALL, or by a restart without its data that its clients have noticed before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void redis_that_loses_its_count_within_a_second_gives_an_instance_none_of_it_twice(
            boolean restarts) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            awaitNextSecond();
            OrderRate.Permit first = here.take(5);
            redis.flushAll();
            if (restarts) {
                part.kill();
                part.start();
                await().ignoreExceptions().until(() -> redis.ping().equals("PONG"));
            }
            OrderRate.Permit again = here.tryTake(7);
            assertThat(here.health().getDetails()).containsEntry("alone", false);
            boolean isInTime = second(again) == second(first);
            assertThat(again.count()).isEqualTo(isInTime ? 2 : 7);
            return isInTime;
        });
    }

    /** Each knows what it had itself: together they may have the second up to twice. */
    @Test
    void instances_of_a_redis_that_lost_its_count_go_on_from_what_they_had_themselves() {
        assertThat(here.take(4).count() + there.take(7).count()).isEqualTo(7);
        redis.del(ORDER_RATE);
        assertThat(here.tryTake(2).count()).as("after 4").isEqualTo(2);
        assertThat(there.tryTake(7).count()).as("after 3, and 6 by here").isOne();
        assertThat(here.tryTake(7).count() + there.tryTake(7).count()).isZero();
    }

    private static double redisUp(OrderRate rate) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new BookingConfiguration().orderRateMetrics(rate).bindTo(registry);
        return registry.get("seckill_control_redis_up")
                .tag("hop", "order")
                .gauge()
                .value();
    }

    @Test
    void damaged_counter_is_made_anew() {
        redis.set(ORDER_RATE, "abc");
        assertThat(here.take(9).count()).isEqualTo(7);
        redis.hset(ORDER_RATE, Map.of("second", "x", "limit", "1", "used", "9"));
        assertThat(here.take(9).count()).isEqualTo(7);
        redis.hset(ORDER_RATE, "second", "99999999999");
        assertThat(here.take(9).count()).isEqualTo(7);
        assertThat(redis.ttl(ORDER_RATE)).isBetween(1L, 5L);
    }

    @Test
    void second_that_redis_s_clock_went_back_from_is_not_given_twice() {
        long ahead = redisMs() / 1_000 + 2;
        begin(ahead, 5);

        OrderRate.Permit rest = here.take(7);
        OrderRate.Permit next = here.take(7);

        assertThat(rest).isEqualTo(new OrderRate.Permit(2, ahead * 1_000));
        assertThat(next.count()).isEqualTo(7);
        assertThat(second(next)).isEqualTo(ahead + 1);
    }

    @Test
    void being_slow_is_no_failure_however_long_others_use_up_the_limit() {
        AtomicInteger waits = new AtomicInteger();
        OrderRate patient = new OrderRate(redis, limits(), Clock.systemUTC(), () -> 0, ms -> {
            if (waits.incrementAndGet() == 100) {
                redis.del(ORDER_RATE);
            }
        });
        begin(redisMs() / 1_000 + 4, 7);

        assertThat(patient.take(1).count()).isEqualTo(1);
        assertThat(waits).hasValue(100);
    }

    private static OrderRate rate(OrderLimits limits, Clock clock) {
        return new OrderRate(redis, limits, clock, () -> 0, OrderRate::sleep);
    }

    /** As if so many permits of the seven had been given in that second. */
    private static void begin(long second, int used) {
        redis.hset(ORDER_RATE, Map.of("second", "" + second, "limit", "7", "used", "" + used));
    }

    private static long second(OrderRate.Permit permit) {
        return permit.atMs() / 1_000;
    }

    private static void awaitNextSecond() {
        long second = redisMs() / 1_000;
        await().pollInterval(Duration.ofMillis(3)).until(() -> redisMs() / 1_000 > second);
    }

    private static long redisMs() {
        try (Jedis one = part.connect()) {
            List<String> time = one.time();
            return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
        }
    }

    private static void setLimit(String limit) {
        redis.hset(RedisKeys.LIMITS, ORDER_RATE_PER_SECOND, limit);
    }
}
