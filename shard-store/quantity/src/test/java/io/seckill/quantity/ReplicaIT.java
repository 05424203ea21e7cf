package io.seckill.quantity;

import static io.seckill.quantity.Wishes.EPOCH;
import static io.seckill.quantity.Wishes.PRODUCT;
import static io.seckill.quantity.Wishes.id;
import static io.seckill.quantity.Wishes.reserve;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Shard;
import io.seckill.shard.ShardDownException;
import io.seckill.testkit.RedisProcess;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** The shard's address may lead to a replica before that is promoted; it may know too little. */
class ReplicaIT extends OneShard {

    @Test
    void replica_that_is_not_promoted_is_sure_of_nothing_and_takes_nothing()
            throws InterruptedException {
        shard.load(PRODUCT, EPOCH, 5);
        try (RedisProcess process = new RedisProcess();
                Jedis control = process.connect();
                Shard other = new Shard(0, RedisEndpoint.of("test", process.uri()))) {
            control.replicaof(
                    "127.0.0.1", Integer.parseInt(jedis.configGet("port").get("port")));
            for (int i = 0; i < 400 && !control.exists(RedisKeys.stock(PRODUCT)); i++) {
                Thread.sleep(50);
            }
            QuantityStock replica = new QuantityStock(other);
            assertSureOfNothing(replica);
            assertThatThrownBy(() -> replica.reserve(reserve(1, "alice", 1)))
                    .isInstanceOf(ShardDownException.class);
            control.replicaofNoOne();
            assertSureOfNothing(replica);
            assertThat(replica.reserve(reserve(1, "alice", 1)).word())
                    .isEqualTo(ReserveOutcome.Word.GATED);
        }
    }

    private static void assertSureOfNothing(QuantityStock replica) {
        long pastMs = System.currentTimeMillis() - 1_000;
        assertThat(replica.fateAsync(PRODUCT, id(1), pastMs).join()).isEqualTo(Fate.GATED);
        assertThat(replica.markAsync(PRODUCT, "alice").join().isGated()).isTrue();
        assertThat(replica.left(PRODUCT, EPOCH)).isEmpty();
        HeldUnits held = new HeldUnits(replica);
        assertThat(held.page(PRODUCT, "0", 100, Long.MAX_VALUE)).isEmpty();
        assertThat(held.unheld(PRODUCT, EPOCH, List.of(id(1)))).isEmpty();
    }
}
