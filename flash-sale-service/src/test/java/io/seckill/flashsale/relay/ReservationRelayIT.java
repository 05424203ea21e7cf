package io.seckill.flashsale.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.flashsale.Hop;
import io.seckill.quantity.Reserve;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.StreamEntryID;

class ReservationRelayIT extends Hop {

    @Autowired
    private ReservationRelay relay;

    /** Nobody else could: the mark is in the shard, and the outbox too. */
    @Test
    void who_was_accepted_by_a_shard_that_was_then_given_up_is_known() {
        sell(5, 5, 5);
        String user = userAt(2, 1);
        SHARDS.get(2).kill();
        try {
            long nowMs = System.currentTimeMillis();
            relay.taken(2, new Reserve("%032x".formatted(nowMs), product, user, 1, false, nowMs));
            await().during(Duration.ofSeconds(2))
                    .until(() -> !result(user).body().equals(Map.of("status", "PENDING")));

            onControl(jedis -> jedis.hset(
                    RedisKeys.sale(product), "placements", "0:1:OPEN 1:1:OPEN 2:1:RETIRED"));

            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() ->
                            assertThat(result(user).body()).isEqualTo(Map.of("status", "PENDING")));
        } finally {
            takeBack(2);
        }
    }

    /** What the outbox holds meanwhile cannot be handed over, and keeps nobody from being told. */
    @Test
    void who_was_accepted_by_a_shard_that_then_lost_it_is_told_so_without_the_broker() {
        sell(5, 5, 5);
        String lost = userAt(2, 1);
        String held = userAt(2, 2);
        BROKER.kill();
        try {
            deduct(held);
            long nowMs = System.currentTimeMillis();
            relay.taken(2, new Reserve("%032x".formatted(nowMs), product, lost, 1, false, nowMs));

            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(result(lost).body())
                            .isEqualTo(Map.of("status", "REJECTED", "reason", "UNKNOWN_OUTCOME")));
            assertThat(books(shards.get(2)).outboxLength()).isOne();
            assertThat(result(held).body()).isEqualTo(Map.of("status", "PENDING"));
        } finally {
            BROKER.start();
        }
    }

    /** A hand left a key of a wrong type where such entries go. */
    @Test
    void entry_that_can_be_neither_read_nor_parked_keeps_no_other_from_being_sent() {
        sell(5, 5, 5);
        String outbox = RedisKeys.outbox(product);
        try (Jedis shard = SHARDS.get(2).connect()) {
            shard.set(RedisKeys.parked(product), "no stream");
            shard.xadd(outbox, StreamEntryID.NEW_ENTRY, Map.of("user_id", "nobody"));
            assertThat(deduct(userAt(2, 1)).status()).isEqualTo(202);
            assertThat(surely(() -> shards.get(2).holder(product, userAt(2, 1))))
                    .isPresent();

            await().atMost(Duration.ofSeconds(10)).until(() -> shard.xlen(outbox) == 1);

            shard.del(RedisKeys.parked(product));
            await().atMost(Duration.ofSeconds(10)).until(() -> shard.xlen(outbox) == 0);
            assertThat(shard.xlen(RedisKeys.parked(product))).isEqualTo(1);
        }
    }
}
