package io.seckill.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.RedisKeys;
import io.seckill.testkit.RedisProcess;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

class RateLimiterIT {

    private static final String BUCKET = RedisKeys.rateLimit("a");

    private final RedisProcess server = new RedisProcess();
    private final List<RedisClient> clients = new ArrayList<>();
    private Jedis redis;

    @BeforeEach
    void connect() {
        redis = server.connect();
    }

    @AfterEach
    void stop() {
        redis.close();
        clients.forEach(RedisClient::close);
        server.close();
    }

    private RateLimiter instance() {
        return new RateLimiter(client(), () -> System.nanoTime() / 1_000);
    }

    private RedisClient client() {
        URI uri = URI.create(server.uri());
        RedisClient client = RedisClient.builder()
                .hostAndPort(new HostAndPort(uri.getHost(), uri.getPort()))
                .clientConfig(
                        DefaultJedisClientConfig.builder().timeoutMillis(300).build())
                .build();
        clients.add(client);
        return client;
    }

    /** Three instances with four callers each, who come again when they are told to. */
    @ParameterizedTest
    @CsvSource({"5, 0", "200, 0", "200, 1", "3000, 0"})
    void all_instances_together_never_pass_the_rate_and_waste_little(int rate, int burst)
            throws Exception {
        Limit limit = new Limit(rate, burst, 0);
        long ms = 2_000;
        long began = System.nanoTime();
        long granted = crowd(limit, ms);
        double seconds = (System.nanoTime() - began) / 1e9;
        assertThat((double) granted).isLessThanOrEqualTo(rate * (seconds + burst) + 1);
        assertThat((double) granted).isGreaterThanOrEqualTo(0.5 * Math.min(rate, 400) * ms / 1_000);
    }

    private long crowd(Limit limit, long ms) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(12);
        List<Callable<Long>> callers = Stream.generate(this::instance)
                .limit(3)
                .flatMap(one -> Stream.generate(() -> caller(one, limit, ms)).limit(4))
                .toList();
        long granted = 0;
        for (Future<Long> count : threads.invokeAll(callers)) {
            granted += count.get();
        }
        threads.shutdown();
        return granted;
    }

    private static Callable<Long> caller(RateLimiter instance, Limit limit, long ms) {
        return () -> {
            long granted = 0;
            long end = System.nanoTime() + ms * 1_000_000;
            while (System.nanoTime() < end) {
                Grant grant = instance.take("a", limit);
                if (grant.isGranted()) {
                    granted++;
                } else {
                    Thread.sleep(Math.min(grant.waitMs(), 50));
                }
            }
            return granted;
        };
    }

    @Test
    void refused_key_costs_no_round_trip_until_asking_may_help() throws InterruptedException {
        RateLimiter one = instance();
        Limit limit = new Limit(2, 0, 0);
        assertThat(one.take("a", limit).isGranted()).isTrue();
        Grant refused = one.take("a", limit);
        assertThat(refused.isGranted()).isFalse();
        assertThat(refused.waitMs()).isBetween(300L, 500L);
        long before = calls();
        for (int n = 0; n < 1_000; n++) {
            assertThat(one.take("a", limit).isGranted()).isFalse();
        }
        assertThat(calls()).isEqualTo(before);
        Thread.sleep(refused.waitMs());
        assertThat(one.take("a", limit).isGranted()).isTrue();
    }

    private long calls() {
        String stats = redis.info("commandstats");
        return Stream.of(stats.split("\r\n"))
                .filter(line -> line.startsWith("cmdstat_eval"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*calls=(\\d+).*", "$1")))
                .sum();
    }

    @Test
    void every_key_expires_soon_after_the_last_call() {
        instance().take("a", new Limit(1, 3, 0));
        assertThat(redis.pttl(BUCKET)).isBetween(1L, 5_000L);
        assertThat(redis.ttl(RedisKeys.RATE_LIMIT_INSTANCES)).isBetween(1L, 15L);
        assertThat(redis.keys("*"))
                .containsExactlyInAnyOrder(BUCKET, RedisKeys.RATE_LIMIT_INSTANCES);
    }

    /** A clock that went back by more than any wait, and what a hand may leave. */
    @ParameterizedTest
    @CsvSource({"credit, 1.5", "credit, -1", "free_us, 9999999999999999", "free_us, x"})
    void bucket_that_is_none_is_a_new_one(String field, String value) {
        instance().take("a", new Limit(1, 0, 0));
        redis.hset(BUCKET, field, value);
        assertThat(instance().take("a", new Limit(1, 0, 0)).isGranted()).isTrue();
    }

    @Test
    void key_of_a_wrong_type_is_a_new_bucket() {
        redis.set(BUCKET, "mine");
        RateLimiter one = instance();
        assertThat(one.take("a", new Limit(1, 0, 0)).isGranted()).isTrue();
        assertThat(redis.type(BUCKET)).isEqualTo("hash");
    }

    /** Else each would allow itself all of it, for nobody could hear how many they are. */
    @Test
    void list_of_instances_of_a_wrong_type_is_a_new_one_and_all_share_the_bucket() {
        redis.set(RedisKeys.RATE_LIMIT_INSTANCES, "mine");
        Limit limit = new Limit(1, 0, 0);
        assertThat(instance().take("a", limit).isGranted()).isTrue();
        assertThat(instance().take("a", limit).isGranted()).isFalse();
        assertThat(redis.type(RedisKeys.RATE_LIMIT_INSTANCES)).isEqualTo("zset");
        assertThat(redis.ttl(RedisKeys.RATE_LIMIT_INSTANCES)).isBetween(1L, 15L);
    }

    @Test
    void each_instance_allows_its_part_while_redis_is_away_and_hears_it_again() throws Exception {
        AtomicLong us = new AtomicLong(System.nanoTime() / 1_000);
        RateLimiter one = new RateLimiter(client(), us::get);
        Limit limit = new Limit(100, 0, 0);
        instance().take("b", limit);
        one.take("a", limit);
        server.kill();
        long granted = 0;
        for (int n = 0; n < 2_000; n++) {
            us.addAndGet(1_000);
            granted += one.take("a", limit).isGranted() ? 1 : 0;
        }
        assertThat(granted).as("half of 100 a second, for 2 s").isBetween(95L, 102L);
        server.start();
        us.addAndGet(2_000_000);
        redis = server.connect();
        assertThat(one.take("a", limit).isGranted()).isTrue();
        assertThat(redis.exists(BUCKET)).isTrue();
    }
}
