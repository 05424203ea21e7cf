package io.seckill.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.redis.jedis.Bucket4jJedis;
import io.seckill.testkit.RedisProcess;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;

/** What a permit costs beside a well-kept library on the same Redis; prints, judges nothing. */
class BesideBucket4jIT {

    private static final int CALLS = 1_000;
    private static final int TURNS = 3;

    @Test
    void permit_of_ours_and_of_bucket4j() {
        try (RedisProcess server = new RedisProcess();
                RedisClient redis = client(server)) {
            RateLimiter ours = new RateLimiter(redis, () -> System.nanoTime() / 1_000);
            Limit limit = new Limit(1_000_000, 60, 0);
            Bucket theirs = bucket(redis);
            double oursUs = Double.MAX_VALUE;
            double theirsUs = Double.MAX_VALUE;
            for (int turn = 0; turn < TURNS; turn++) {
                oursUs = Math.min(oursUs, us(() -> ours.take("a", limit).isGranted()));
                theirsUs = Math.min(theirsUs, us(() -> theirs.tryConsume(1)));
            }
            System.out.printf(
                    "a permit: %.0f us, of Bucket4j %.0f us, %.2f of it%n",
                    oursUs, theirsUs, oursUs / theirsUs);
        }
    }

    private static RedisClient client(RedisProcess server) {
        URI uri = URI.create(server.uri());
        return RedisClient.builder()
                .hostAndPort(new HostAndPort(uri.getHost(), uri.getPort()))
                .build();
    }

    private static Bucket bucket(RedisClient redis) {
        BucketConfiguration limit = BucketConfiguration.builder()
                .addLimit(of ->
                        of.capacity(60_000_000).refillGreedy(1_000_000, Duration.ofSeconds(1)))
                .build();
        return Bucket4jJedis.casBasedBuilder(redis)
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.fixedTimeToLive(Duration.ofMinutes(1)))
                .build()
                .builder()
                .build("bucket4j".getBytes(StandardCharsets.UTF_8), () -> limit);
    }

    private static double us(BooleanSupplier call) {
        long startNs = System.nanoTime();
        for (int n = 0; n < CALLS; n++) {
            assertThat(call.getAsBoolean()).isTrue();
        }
        return (System.nanoTime() - startNs) / 1e3 / CALLS;
    }
}
