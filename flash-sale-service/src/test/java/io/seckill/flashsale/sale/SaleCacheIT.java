package io.seckill.flashsale.sale;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Bounds;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.Outcome;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.RedisClient;

class SaleCacheIT extends Hop {

    @Autowired
    private RedisClient control;

    private final Hand hand = new Hand();
    private SaleCache cache;

    @BeforeEach
    void read() {
        sell(1, 1, 1);
        cache = new SaleCache(control, hand);
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
