package io.seckill.stock.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.StockCount;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.stock.returns.ReturnService;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

/**
 * An order is closed while its shard is taken back: its return is done within five seconds once the
 * shard is open, by nobody's repair. The reconciler is stopped here.
 */
class ClosedMeanwhileIT {

    private static final int SHARD = 1;

    private final Stock stock = Stock.running();
    private final QuantityStock shard = stock.bean(QuantityStocks.class).get(SHARD);

    /** After the decision: before its unit is put in, after it, and when the ledger is open. */
    @ParameterizedTest
    @CsvSource({"873, holders, false", "874, holders, true", "875, open, true"})
    void order_closed_while_its_shard_is_rebuilt(String product, String statement, boolean isDone) {
        Buyers buyers = sale(product);
        String id = buyers.buy(SHARD, "alice", 1);
        buyers.buy(SHARD, "bob", 1);
        stock.withoutRecovery(() -> {
            edit(jedis -> jedis.del(RedisKeys.stock(product)));
            Recovery recovery = Steps.recovery(stock, (at, done) -> {
                if (at.equals(statement) && done == isDone && outcome(id).isEmpty()) {
                    close(product, id);
                }
            });
            awaitOpen(product, recovery);
        });
        assertReturned(product, id);
    }

    @Test
    void order_closed_while_its_shard_is_opened_as_it_is() {
        Buyers buyers = sale("876");
        String id = buyers.buy(SHARD, "alice", 1);
        buyers.buy(SHARD, "bob", 1);
        stock.withoutRecovery(() -> {
            edit(jedis -> jedis.hset(RedisKeys.stock("876"), "open_for", "another"));
            Recovery recovery = Steps.recovery(stock, (at, done) -> {
                if (at.equals("lock") && epoch("876") == 2 && outcome(id).isEmpty()) {
                    close("876", id);
                }
            });
            awaitOpen("876", recovery);
        });
        assertReturned("876", id);
    }

    private Buyers sale(String product) {
        stock.sell("{'productId':'" + product + "','stock':30}");
        return new Buyers(stock, product);
    }

    /** As order-service closes it in the ledger's second epoch; its return comes at once. */
    private void close(String product, String id) {
        new Buyers(stock, product).cancel(id, SHARD, 1);
        stock.sql().update("UPDATE orders SET final_epoch = 2 WHERE reservation_id = ?", id);
        stock.bean(ReturnService.class)
                .settle(List.of(new StockReturn(
                        id, product, "alice", 1, SHARD, 2, Action.RETURN, "PAY_TIMEOUT")));
        assertThat(outcome(id)).as("the gate is closed").containsExactly("WAITING");
    }

    private void assertReturned(String product, String id) {
        long startNs = System.nanoTime();
        await().atMost(Duration.ofSeconds(5))
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(outcome(id)).containsExactly("RETURNED"));
        System.out.printf(
                "done after %d ms%n",
                Duration.ofNanos(System.nanoTime() - startNs).toMillis());
        assertThat(shard.count(product).orElseThrow())
                .extracting(StockCount::available, StockCount::returned)
                .containsExactly(9L, 1L);
        assertThat(shard.books(product).buyers()).containsOnlyKeys("bob");
    }

    private List<String> outcome(String id) {
        return stock.sql()
                .queryForList(
                        "SELECT outcome FROM stock_return WHERE reservation_id = ?",
                        String.class,
                        id);
    }

    private int epoch(String product) {
        return stock.sql()
                .queryForObject(
                        "SELECT epoch FROM shard_ledger WHERE product_id = ? AND shard = 1",
                        Integer.class,
                        product);
    }

    /** The first turn may only begin to wait for what is queued. */
    private void awaitOpen(String product, Recovery recovery) {
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            try {
                recovery.turn();
            } catch (IllegalStateException e) {
                // Of another product: tests leave parts that cannot be taken back.
            }
            return new QuantityRecovery(shard.shard()).state(product).isOpen();
        });
    }

    private void edit(Consumer<Jedis> by) {
        try (Jedis jedis = stock.shards.get(SHARD).connect()) {
            by.accept(jedis);
        }
    }
}
