package io.seckill.flashsale.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Bounds;
import io.seckill.contracts.EdgeHeaders;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.Outcome;
import io.seckill.shard.Pipeline;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.RedisClient;

class SaleCacheIT extends Hop {

    /** Less than one that waits for the control Redis is kept. */
    private static final Duration PROMPT = Duration.ofMillis(600);

    @Autowired
    private RedisClient control;

    @Autowired
    private Pipeline controlReads;

    private final Hand hand = new Hand();
    private SaleCache cache;

    @BeforeEach
    void read() {
        sell(1, 1, 1);
        cache = new SaleCache(control, controlReads, hand);
        cache.refresh();
    }

    @Test
    void product_that_vanished_stays_for_a_minute() {
        Outcome<Sale> facts = cache.get(product);
        vanish();
        assertKnownFor(facts, SaleCache.KEPT_MS - 1);

        hand.nowMs += 1;
        cache.refresh();
        assertThat(cache.products()).doesNotContain(product);
        assertThat(cache.get(product)).isEqualTo(Outcome.refused(Refusal.NO_SUCH_SALE));
    }

    /** It was removed; what the control Redis loses by accident is a matter of real sales. */
    @Test
    void synthetic_sale_that_is_no_longer_listed_is_unknown_at_once() {
        onControl(jedis -> jedis.hset(RedisKeys.sale(product), "synthetic", "1"));
        cache.refresh();
        vanish();
        cache.refresh();
        assertThat(cache.products()).doesNotContain(product);
        assertThat(cache.get(product)).isEqualTo(Outcome.refused(Refusal.NO_SUCH_SALE));
    }

    @Test
    void product_that_came_back_stays_a_minute_from_then() {
        vanish();
        hand.nowMs += SaleCache.KEPT_MS - 1;
        cache.refresh();
        onControl(jedis -> jedis.sadd(RedisKeys.SALES, product));
        cache.refresh();
        vanish();
        hand.nowMs += 1;
        cache.refresh();
        assertThat(cache.products()).contains(product);
    }

    @Test
    void facts_nobody_could_renew_for_a_minute_are_busy() {
        hand.nowMs += SaleCache.USABLE_MS + 1;
        assertThat(cache.get(product)).isEqualTo(Outcome.refused(Refusal.BUSY));
    }

    @Test
    void product_that_is_not_known_yet_is_looked_up() {
        SaleCache stranger = new SaleCache(control, controlReads, hand);
        hand.nowMs = 1; // as if it had just read that there are none
        assertThat(stranger.get(product)).isInstanceOf(Outcome.Value.class);
        assertThat(stranger.ask(product).join()).isEqualTo(stranger.get(product));
        assertThat(stranger.ask("7").join()).isEqualTo(Outcome.refused(Refusal.NO_SUCH_SALE));

        onControl(jedis -> jedis.hdel(RedisKeys.sale(product), "start_at_ms"));
        assertThat(stranger.ask(product).join()).isEqualTo(Outcome.refused(Refusal.BUSY));
    }

    @Test
    void polls_for_unknown_products_keep_no_attempt_waiting_while_the_control_redis_hangs() {
        HttpRequest stranger = HttpRequest.newBuilder(uri("/seckill/flash/sale/result"))
                .header(EdgeHeaders.USER, "alice")
                .header(EdgeHeaders.PRODUCT, "7")
                .build();
        HttpClient http = HttpClient.newHttpClient();
        signal(CONTROL, "STOP");
        try {
            List<CompletableFuture<HttpResponse<String>>> polls = IntStream.range(0, 50)
                    .mapToObj(i -> http.sendAsync(stranger, BodyHandlers.ofString()))
                    .toList();
            long startNs = System.nanoTime();
            assertThat(deductOnce("alice", "1").text("code")).isEqualTo("ACCEPTED");
            assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isLessThan(PROMPT);
            assertThat(polls).allMatch(poll -> poll.join().body().contains("BUSY"));
        } finally {
            signal(CONTROL, "CONT");
        }
        await().until(() -> result("alice").status() == 200);
    }

    @Test
    void known_sale_is_not_pushed_out_by_what_somebody_put_into_the_set() {
        String[] strays = LongStream.rangeClosed(1, 2L * Bounds.SALES)
                .mapToObj(i -> Long.toString(100_000 + i))
                .toArray(String[]::new);
        onControl(jedis -> jedis.sadd(RedisKeys.SALES, strays));
        try {
            cache.refresh();
            assertThat(cache.products()).contains(product).hasSize(Bounds.SALES);
        } finally {
            onControl(jedis -> jedis.srem(RedisKeys.SALES, strays));
        }
    }

    private void assertKnownFor(Outcome<Sale> facts, long ms) {
        hand.nowMs += ms;
        cache.refresh();
        assertThat(cache.products()).contains(product);
        assertThat(cache.get(product)).isEqualTo(facts);
    }

    private void vanish() {
        onControl(jedis -> {
            jedis.del(RedisKeys.sale(product));
            jedis.srem(RedisKeys.SALES, product);
        });
    }

    /** A clock that is moved by hand. */
    private static final class Hand extends Clock {

        private long nowMs = System.currentTimeMillis();

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(nowMs);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException("nobody asks for a zone");
        }
    }
}
