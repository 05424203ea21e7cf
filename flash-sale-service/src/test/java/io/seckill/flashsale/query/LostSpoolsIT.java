package io.seckill.flashsale.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.Hop;
import io.seckill.flashsale.attempt.AllDownListener.Wish;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.Jedis;

/** Attempts that the control Redis knows of, and no disk. */
class LostSpoolsIT extends Hop {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final long MARGIN_MS = 60_000;
    private static final Map<String, String> PENDING = Map.of("status", "PENDING");
    private static final Map<String, String> EXPIRED =
            Map.of("status", "REJECTED", "reason", "EXPIRED");

    @Autowired
    private ResultStore results;

    @Autowired
    private AttemptService attempts;

    private final String user = userAt(1, 1);
    private final String id = "%012x%020x".formatted(System.currentTimeMillis(), 1);

    @Test
    void buyer_of_a_lost_disk_is_told_so_a_while_after_the_expiry_and_no_sooner() {
        sell(5, 5, 5);
        kept(MARGIN_MS - 3_000);
        await().during(Duration.ofMillis(1_500)).until(() -> result(user).body().equals(PENDING));
        await().atMost(SOON).until(() -> result(user).body().equals(EXPIRED));
        assertThat(indexed()).isFalse();
        assertThat(available()).isEqualTo(15);
    }

    @Test
    void unit_that_was_taken_before_the_disk_was_lost_is_pending_until_its_order_is_told() {
        sell(5, 5, 5);
        assertThat(replay(System.currentTimeMillis() + 60_000))
                .isEqualTo(new AttemptOutcome.Accepted(id));
        keptLongAgo();
        await().during(Duration.ofMillis(1_500))
                .until(() -> result(user).body().equals(PENDING) && indexed());
        results.store(List.of(new OrderEvent(
                id, product, user, 1, OrderEvent.Status.ORDERED, "1".repeat(24), 1, null)));
        await().atMost(SOON).until(() -> !indexed());
        assertThat(result(user).text("status")).isEqualTo("ORDERED");
    }

    /** The disk is found again, or its process woke: however late that is. */
    @Test
    void attempt_that_has_expired_takes_no_unit_any_more() {
        sell(5, 5, 5);
        assertThat(replay(System.currentTimeMillis() - 1))
                .isInstanceOf(AttemptOutcome.Refused.class);
        keptLongAgo();
        await().atMost(SOON).until(() -> result(user).body().equals(EXPIRED));
        assertThat(replay(System.currentTimeMillis() - MARGIN_MS))
                .isInstanceOf(AttemptOutcome.Refused.class);
        assertThat(available()).isEqualTo(15);
    }

    @Test
    void nobody_is_told_anything_while_the_home_shard_is_away() {
        sell(5, 5, 5);
        SHARDS.get(1).kill();
        try {
            keptLongAgo();
            await().during(Duration.ofMillis(1_500))
                    .until(() -> result(user).body().equals(PENDING) && indexed());
        } finally {
            takeBack(1);
        }
        await().atMost(SOON).until(() -> result(user).body().equals(EXPIRED));
    }

    @Test
    void what_its_own_instance_has_told_stays() {
        sell(5, 5, 5);
        keptLongAgo();
        results.rejectSpooled(product, user, id, "SOLD_OUT").join();
        await().atMost(SOON).until(() -> !indexed());
        results.storeSpooled(product, user, id, 1).join();
        await().atMost(SOON).until(() -> !indexed());
        assertThat(result(user).body())
                .isEqualTo(Map.of("status", "REJECTED", "reason", "SOLD_OUT"));
    }

    @Test
    void what_cannot_be_read_or_is_of_no_sale_is_dropped_and_stops_nobody() {
        sell(5, 5, 5);
        onControl(jedis -> {
            jedis.zadd(RedisKeys.SPOOLED, 1, "rubbish");
            jedis.zadd(RedisKeys.SPOOLED, 2, id + "|999999|" + user);
        });
        keptLongAgo();
        await().atMost(SOON).until(() -> result(user).body().equals(EXPIRED));
        await().atMost(SOON).until(() -> {
            long[] count = new long[1];
            onControl(jedis -> count[0] = jedis.zcount(RedisKeys.SPOOLED, 0, 2));
            return count[0] == 0;
        });
    }

    @Test
    void more_than_may_be_are_not_kept() {
        sell(5, 5, 5);
        try {
            onControl(LostSpoolsIT::fill);
            assertThat(results.storeSpooled(product, user, id, Long.MAX_VALUE >> 12)
                            .join())
                    .isFalse();
            assertThat(result(user).body()).isEqualTo(Map.of("status", "NONE"));
        } finally {
            onControl(jedis -> jedis.zremrangeByScore(RedisKeys.SPOOLED, 9e14, 9e14));
        }
    }

    /** In pieces: all at once takes a busy machine longer than a reply may. */
    private static void fill(Jedis jedis) {
        String some = "for n = ARGV[1], ARGV[1] + 9999 do redis.call('ZADD', KEYS[1], 9e14, n) end";
        for (int first = 0; first < ResultStore.MAX_SPOOLED; first += 10_000) {
            jedis.eval(some, List.of(RedisKeys.SPOOLED), List.of(Integer.toString(first)));
        }
    }

    private AttemptOutcome replay(long endAtMs) {
        return attempts.replay(new Wish(product, user, id, 1, "", endAtMs)).join();
    }

    private void keptLongAgo() {
        kept(MARGIN_MS + 1);
    }

    /** And expired so long ago. */
    private void kept(long expiredMs) {
        long expiresAtMs = System.currentTimeMillis() - expiredMs;
        assertThat(results.storeSpooled(product, user, id, expiresAtMs).join()).isTrue();
    }

    private boolean indexed() {
        boolean[] is = new boolean[1];
        onControl(jedis ->
                is[0] = jedis.zscore(RedisKeys.SPOOLED, id + "|" + product + "|" + user) != null);
        return is[0];
    }
}
