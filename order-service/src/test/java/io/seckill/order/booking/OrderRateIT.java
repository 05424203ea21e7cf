package io.seckill.order.booking;

import static io.seckill.contracts.Limits.ORDER_RATE_PER_SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.seckill.contracts.RedisKeys;
import io.seckill.order.TickingClock;
import io.seckill.testkit.RedisProcess;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;

class OrderRateIT {

    private static RedisProcess part;
    private static RedisClient redis;

    private final TickingClock clock = new TickingClock(1_763_719_200_400L);
    private final OrderRate here = rate(clock::pass);
    private final OrderRate there = rate(clock::pass);

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
    void allowSeven() {
        redis.flushAll();
        setLimit("7");
    }

    @Test
    void instances_share_the_permits_of_a_second_and_wait_for_the_next() {
        long startMs = clock.millis();
        assertThat(here.take(5)).isEqualTo(new OrderRate.Permit(5, startMs));
        assertThat(there.take(5)).isEqualTo(new OrderRate.Permit(2, startMs));
        String counter = RedisKeys.orderRate(startMs / 1_000);
        assertThat(redis.get(counter)).isEqualTo("7");
        assertThat(redis.ttl(counter)).isBetween(1L, 5L);

        assertThat(there.take(1)).isEqualTo(new OrderRate.Permit(1, startMs + 600));
    }

    @Test
    void new_limit_counts_from_the_next_second() {
        here.take(1);
        setLimit("3");
        assertThat(here.take(100).count()).isEqualTo(6);
        clock.pass(1_000);
        assertThat(here.take(100).count()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "abc", "0", "-1", "1e9", "07", "9999999999", "nan"})
    void bad_limit_keeps_the_last_good_one(String bad) {
        here.take(1);
        setLimit(bad);
        clock.pass(1_000);
        assertThat(here.take(100).count()).isEqualTo(7);
    }

    @Test
    void removed_limit_keeps_the_last_good_one() {
        here.take(1);
        redis.del(RedisKeys.LIMITS);
        clock.pass(1_000);
        assertThat(here.take(100).count()).isEqualTo(7);
    }

    @Test
    void redis_away_in_a_second_does_not_give_its_permits_twice_and_later_ones_are_counted_here() {
        assertThat(here.take(5).count()).isEqualTo(5);
        part.kill();
        try {
            assertThat(here.take(5).count()).isEqualTo(2);
            OrderRate.Permit next = here.take(5);
            assertThat(next).isEqualTo(new OrderRate.Permit(5, 1_763_719_201_000L));
            assertThat(here.take(5).count()).isEqualTo(2);
        } finally {
            part.start();
        }
        clock.pass(1_000);
        assertThat(here.take(5).count()).isEqualTo(5);
        assertThat(redis.get(RedisKeys.orderRate(clock.millis() / 1_000))).isEqualTo("5");
    }

    @Test
    void damaged_counter_does_not_stop_orders() {
        redis.set(RedisKeys.orderRate(clock.millis() / 1_000), "abc");
        assertThat(here.take(9).count()).isEqualTo(7);
    }

    @Test
    void no_permit_for_long_is_an_error_that_names_the_limit() {
        LongConsumer usedUp = ms -> {
            clock.pass(ms);
            redis.set(RedisKeys.orderRate(clock.millis() / 1_000), "7");
        };
        redis.set(RedisKeys.orderRate(clock.millis() / 1_000), "7");

        assertThatIllegalStateException()
                .isThrownBy(() -> rate(usedUp).take(1))
                .withMessageContaining(ORDER_RATE_PER_SECOND + " = 7");
    }

    private OrderRate rate(LongConsumer pause) {
        return new OrderRate(redis, clock, pause);
    }

    private static void setLimit(String limit) {
        redis.hset(RedisKeys.LIMITS, ORDER_RATE_PER_SECOND, limit);
    }
}
