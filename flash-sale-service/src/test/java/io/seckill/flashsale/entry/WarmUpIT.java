package io.seckill.flashsale.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Ids;
import io.seckill.flashsale.Hop;
import io.seckill.testkit.RedisProcess;
import java.net.http.HttpRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import redis.clients.jedis.Jedis;

/** The service sells to itself before it is healthy, and nobody sees it. */
@TestPropertySource(properties = "seckill.warm-up=1s")
class WarmUpIT extends Hop {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Autowired
    private WarmUp warmUp;

    @Test
    void it_is_healthy_when_it_is_warm_and_nothing_of_that_is_left() {
        await().atMost(SOON).until(() -> status("/actuator/health") == 200);
        assertThat(warmUp.attempts()).isGreaterThan(100);
        assertThat(warmUp.accepted()).isPositive();
        assertNothingIsLeft();
        String counters = get("/actuator/prometheus").response().body();
        assertThat(counters).containsPattern("seckill_attempts_total(\\{.*})? 0\\.0");
        assertThat(counters).containsPattern("seckill_accepted_total(\\{.*})? 0\\.0");
        assertThat(sales.products()).doesNotContain(Ids.WARM_UP_PRODUCT);
    }

    @Test
    void shard_that_is_away_keeps_nobody_from_becoming_warm() {
        await().atMost(SOON).until(() -> status("/actuator/health") == 200);
        int before = warmUp.attempts();
        SHARDS.get(1).kill();
        try {
            warmUp.run(uri("/").getPort());
        } finally {
            SHARDS.get(1).start();
        }
        assertThat(warmUp.attempts()).isGreaterThan(before);
        assertNothingIsLeft();
    }

    private static void assertNothingIsLeft() {
        for (RedisProcess shard : SHARDS) {
            try (Jedis jedis = shard.connect()) {
                assertThat(jedis.keys("*" + Ids.WARM_UP_PRODUCT + "*")).isEmpty();
            }
        }
    }

    private int status(String path) {
        return get(path).status();
    }

    private Answer get(String path) {
        return send(HttpRequest.newBuilder(uri(path)));
    }
}
