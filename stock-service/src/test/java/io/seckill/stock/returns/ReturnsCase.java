package io.seckill.stock.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.testkit.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;

/** Sends returns as order-service does and looks for their rows. */
abstract class ReturnsCase {

    final Stock stock = Stock.running();

    final Buyers sale(String productId, int units) {
        stock.sell("{'productId':'" + productId + "','stock':" + units + "}");
        return new Buyers(stock, productId);
    }

    final void send(List<String> bodies) {
        assertThat(stock.bean(MessageSender.class)
                        .send(
                                StockReturn.TOPIC,
                                bodies.stream()
                                        .map(body -> new Outgoing("key", body))
                                        .toList()))
                .isTrue();
    }

    final void awaitOutcome(String id, String outcome) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(outcome(id)).containsExactly(outcome));
    }

    final List<String> outcome(String id) {
        return stock.sql()
                .queryForList(
                        "SELECT outcome FROM stock_return WHERE reservation_id = ?",
                        String.class,
                        id);
    }

    final int waiting(String productId) {
        return stock.sql()
                .queryForObject(
                        "SELECT COUNT(*) FROM stock_return"
                                + " WHERE product_id = ? AND outcome = 'WAITING'",
                        Integer.class,
                        productId);
    }

    /** As after a rebuild in this epoch. */
    final void rebuilt(String productId, int shard, int epoch) {
        String number = Integer.toString(epoch);
        try (Jedis jedis = stock.shards.get(shard).connect()) {
            jedis.hset(RedisKeys.stock(productId), Map.of("epoch", number, "rebuilt", number));
        }
    }

    final void ledger(String productId, int shard, String state) {
        stock.sql()
                .update(
                        "UPDATE shard_ledger SET state = ? WHERE product_id = ? AND shard = ?",
                        state,
                        productId,
                        shard);
    }

    final String state(String productId, int shard) {
        return stock.sql()
                .queryForObject(
                        "SELECT state FROM shard_ledger WHERE product_id = ? AND shard = ?",
                        String.class,
                        productId,
                        shard);
    }

    static long grown(String what, Metrics before, Metrics after) {
        String name = "seckill_" + what + "_total";
        return after.sum(name) - before.sum(name);
    }

    final List<String> parked() {
        return stock.sql()
                .queryForList(
                        "SELECT reason FROM parked_message WHERE service = 'stock-service'",
                        String.class);
    }
}
