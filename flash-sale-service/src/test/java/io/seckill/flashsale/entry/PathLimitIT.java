package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.Hop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The path endpoint's own limit, of all instances together. */
class PathLimitIT extends Hop {

    private static final String BUCKET = RedisKeys.rateLimit("path");

    @Test
    void path_beyond_the_rate_is_refused_with_when_to_come_again_and_attempts_go_on() {
        sell(Map.of("path", "on"), 10, 10, 10);
        assertThat(path("early").status()).isEqualTo(200);
        onControl(jedis -> {
            assertThat(jedis.pttl(BUCKET)).as("it expires").isPositive();
            List<String> now = jedis.time();
            long soonUs = (Long.parseLong(now.get(0)) + 3) * 1_000_000;
            jedis.hset(BUCKET, Map.of("credit", "0", "free_us", Long.toString(soonUs)));
            jedis.persist(BUCKET);
        });

        Answer refused = path("late");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.text("code")).isEqualTo("TOO_MANY_REQUESTS");
        assertThat((Integer) refused.body().get("retryAfterMs")).isBetween(1, 3_000);
        assertThat(refused.header("Retry-After")).isBetween("1", "3");
        assertThat(deductOnce("alice", "1").text("code")).isEqualTo("ACCEPTED");
        await().atMost(Duration.ofSeconds(10)).until(() -> path("late").status() == 200);
    }
}
