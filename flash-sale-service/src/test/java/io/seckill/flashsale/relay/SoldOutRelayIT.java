package io.seckill.flashsale.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.Hop;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

class SoldOutRelayIT extends Hop {

    @Test
    void last_unit_of_the_last_shard_is_told_at_once_and_none_before_it() {
        sell(1, 2, 1);
        for (int buyer = 0; buyer < 3; buyer++) {
            assertThat(deduct("user-" + buyer).status()).isEqualTo(202);
        }
        await().during(Duration.ofMillis(200)).until(() -> !isSoldOut());

        assertThat(deduct("user-3").status()).isEqualTo(202);

        await().atMost(Duration.ofSeconds(2)).until(this::isSoldOut);
        try (Jedis jedis = CONTROL.connect()) {
            assertThat(jedis.xrevrange(RedisKeys.SALE_CHANGES, "+", "-", 1)
                            .get(0)
                            .getFields())
                    .containsValue(product);
        }
    }

    /** A unit that a silent shard may have is not sold out. */
    @Test
    void nothing_is_told_while_a_shard_cannot_be_asked() {
        sell(1, 1, 1);
        SHARDS.get(2).kill();
        try {
            deduct(userAt(0, 1));
            deduct(userAt(1, 1));
            await().during(Duration.ofMillis(400)).until(() -> !isSoldOut());
        } finally {
            takeBack(2);
        }
    }

    /** Attempts are answered still while the service ends. */
    @Test
    void nothing_fails_once_it_has_ended() {
        try (RedisClient control = RedisClient.create(URI.create(CONTROL.uri()))) {
            SoldOutRelay ended = new SoldOutRelay(sales, shards, control);
            ended.close();
            assertThatCode(() -> ended.mayBe(product)).doesNotThrowAnyException();
        }
    }

    private boolean isSoldOut() {
        try (Jedis jedis = CONTROL.connect()) {
            return jedis.hget(RedisKeys.sale(product), "sold_out").equals("1");
        }
    }
}
