package io.seckill.flashsale.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.flashsale.Hop;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

class SoldOutRelayIT extends Hop {

    private static final int TRIES = 5;
    private static final long SOON_MS = 100;

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

    /** Within 2 s each time, however busy this machine is, and within 100 ms where it can. */
    @Test
    void last_unit_is_told_within_100_ms_of_its_answer() {
        sell(0, 0, 1);
        long bestMs = Long.MAX_VALUE;
        for (int i = 0; i < TRIES && bestMs > SOON_MS; i++) {
            String user = userAt(2, i);
            AtomicReference<Answer> last = new AtomicReference<>();
            await().until(() -> {
                last.set(deduct(user));
                return last.get().status() == 202;
            });
            long answeredNs = System.nanoTime();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2))
                    .atMost(Duration.ofSeconds(2))
                    .until(this::isSoldOut);
            bestMs =
                    Math.min(bestMs, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - answeredNs));
            putBack(user, last.get().text("reservationId"));
        }
        assertThat(bestMs).isLessThanOrEqualTo(SOON_MS);
    }

    private void putBack(String user, String id) {
        surely(() -> shards.get(2)
                .giveBack(new StockReturn(id, product, user, 1, 2, 1, Action.RETURN, "TEST")));
        onControl(jedis -> jedis.hset(RedisKeys.sale(product), "sold_out", "0"));
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
