package io.seckill.stock.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.Shard;
import io.seckill.stock.Bound;
import io.seckill.stock.Stock;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** How long a shard with a hundred thousand live orders is closed. */
class RecoverySpeedIT {

    private static final int HELD = 100_000;
    private static final String PRODUCT = "831";
    private static final String ORDERS = """
            INSERT INTO orders (order_sn, reservation_id, product_id, user_id, shard, epoch, seq,
              quantity, price_cents, status, reserved_at_ms, created_at_ms, pay_by_ms)
            SELECT CONCAT(UNIX_TIMESTAMP() * 1000, LPAD(seq, 11, '0')),
              CONCAT('e', LPAD(LOWER(HEX(seq)), 31, '0')), %s, CONCAT('u-', seq), 1, 1, seq, 1, 0,
              'UNPAID', 1000, 1000, 1000 FROM seq_1_to_%d""".formatted(PRODUCT, HELD);

    private final Stock stock = Stock.running();
    private final Shard shard = stock.bean(QuantityStocks.class).get(1).shard();
    private int epoch;

    @Test
    void shard_with_a_hundred_thousand_orders_is_rebuilt_and_opened_again() {
        stock.sell("{'productId':'" + PRODUCT + "','stock':" + 6 * HELD + "}");
        try {
            stock.bulk(ORDERS);
            stock.sql()
                    .update(
                            "UPDATE shard_ledger SET sold = ? WHERE product_id = ? AND shard = 1",
                            HELD,
                            PRODUCT);
            try (Jedis jedis = stock.shards.get(1).connect()) {
                jedis.del(RedisKeys.stock(PRODUCT));
            }
            Bound.most("rebuilt after", openS(1), 10, "s");
            stock.shards.get(1).kill();
            stock.shards.get(1).start();
            Bound.most("opened after Redis answered", openS(epoch), 3, "s");
            assertThat(stock.bean(QuantityStocks.class).get(1).books(PRODUCT).buyers())
                    .hasSize(HELD);
        } finally {
            stock.bulk("DELETE FROM orders WHERE product_id = '" + PRODUCT + "'");
        }
    }

    /** In an epoch after that one: a shard that is silent for a moment is rebuilt once more. */
    private double openS(int after) {
        long startNs = System.nanoTime();
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptions()
                .until(() -> {
                    var state = new QuantityRecovery(shard).state(PRODUCT);
                    epoch = state.stock().orElseThrow().epoch();
                    return state.isOpen() && epoch > after;
                });
        return (System.nanoTime() - startNs) / 1e9;
    }
}
