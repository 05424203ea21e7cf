package io.seckill.stock.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.quantity.Books;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.ShardState;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

/** Shard 1 is damaged in each test; what it must hold afterwards is in the orders. */
class RecoveryIT {

    private static final int SHARD = 1;

    private final Stock stock = Stock.running();
    private final QuantityStock shard = stock.bean(QuantityStocks.class).get(SHARD);

    @Test
    void restarted_shard_that_lost_nothing_goes_on_in_the_next_epoch() {
        Buyers buyers = sale("851");
        String id = buyers.buy(SHARD, "alice", 1);
        seen("851", 1);
        restart();
        awaitOpen("851", 2);
        assertThat(openings("851")).containsExactly("2 1");
        assertThat(books("851").reservations()).containsOnlyKeys(id);
        buyers.take(SHARD, "bob", 1);
        assertThat(ledger("851")).containsEntry("state", "OPEN").containsEntry("last_seq", 1L);
    }

    /** R3. */
    @Test
    void shard_that_started_empty_holds_the_live_orders_and_sells_the_rest() {
        Buyers buyers = sale("852");
        String id = buyers.buy(SHARD, "alice", 2);
        buyers.take(SHARD, "bob", 5);
        seen("852", 2);
        edit(Jedis::flushAll);
        restart();
        awaitOpen("852", 2);
        assertThat(openings("852")).containsExactly("2 -1");
        assertThat(books("852").reservations()).containsOnlyKeys(id);
        assertThat(books("852").buyers()).containsOnly(Map.entry("alice", id));
        assertThat(shard.count("852").orElseThrow())
                .extracting(count -> count.available(), count -> count.init())
                .containsExactly(8L, 10L);
        assertThat(ledger("852")).containsEntry("state", "OPEN").containsEntry("last_seq", 0L);
        assertBalanced("852");
    }

    @Test
    void flushed_shard_is_rebuilt_without_a_restart() {
        sale("853").buy(SHARD, "alice", 1);
        edit(Jedis::flushAll);
        awaitOpen("853", 2);
        assertBalanced("853");
    }

    /** R1, R2: each is something that somebody has seen and the shard no longer knows. */
    @ParameterizedTest
    @CsvSource({
        "854, seq",
        "855, returned",
        "856, init",
        "857, epoch",
        "867, farEpoch",
        "858, sum",
        "859, damaged",
        "866, type"
    })
    void shard_that_lost_what_somebody_has_seen_is_rebuilt(String product, String lost) {
        Buyers buyers = sale(product);
        buyers.buy(SHARD, "alice", 1);
        seen(product, 1);
        String stockKey = RedisKeys.stock(product);
        stock.sql()
                .update(
                        "INSERT INTO stock_return VALUES (?, ?, 'bob', 1, 1, 1, 'RETURN',"
                                + " 'CANCELLED', 'RETURNED', 1, 1)",
                        Buyers.newId(),
                        product);
        edit(shard -> {
            shard.hset(stockKey, Map.of("returned", "1", "deducted", "2"));
            switch (lost) {
                case "seq" -> shard.hset(stockKey, "seq", "0");
                case "returned" -> shard.hset(stockKey, Map.of("returned", "0", "deducted", "1"));
                case "init" -> shard.hincrBy(stockKey, "init", -1);
                case "epoch" -> shard.hset(stockKey, "epoch", "7");
                case "farEpoch" -> shard.hset(stockKey, "epoch", "999999999");
                case "type" -> {
                    shard.del(stockKey);
                    shard.set(stockKey, "mine");
                }
                case "sum" -> shard.hincrBy(stockKey, "available", 1);
                default -> shard.hset(stockKey, "burned", "5.0");
            }
        });
        restart();
        awaitOpen(product, lost.equals("epoch") ? 8 : 2);
        assertThat(openings(product).get(0)).endsWith(" -1");
        assertBalanced(product);
    }

    @Test
    void open_shard_that_is_known_to_have_lost_something_is_rebuilt() {
        Buyers buyers = sale("860");
        String id = buyers.buy(SHARD, "alice", 1);
        edit(shard -> {
            shard.hdel(RedisKeys.reservations("860"), id);
            shard.hdel(RedisKeys.buyers("860"), "alice");
        });
        stock.sql()
                .update("UPDATE shard_ledger SET state = 'RECOVERING'"
                        + " WHERE product_id = 860 AND shard = 1");
        awaitOpen("860", 2);
        assertThat(books("860").reservations()).containsOnlyKeys(id);
        assertBalanced("860");
    }

    /** Its unit is on its way back to what is built. */
    @Test
    void order_closed_since_the_epoch_began_is_still_held() {
        Buyers buyers = sale("861");
        String before = buyers.buy(SHARD, "alice", 1);
        String since = buyers.buy(SHARD, "bob", 1);
        String live = buyers.buy(SHARD, "carol", 1);
        buyers.cancel(before, SHARD, 1);
        buyers.cancel(since, SHARD, 1);
        String end = "UPDATE orders SET final_epoch = ? WHERE reservation_id = ?";
        stock.sql().update(end, 4, before);
        stock.sql().update(end, 5, since);
        assertThat(stock.bean(RecoveryMapper.class).holders(part("861"), 5, "", 10))
                .extracting(holder -> holder.reservationId())
                .containsExactlyInAnyOrder(since, live);
    }

    @Test
    void orders_of_several_pages_are_all_held() {
        Buyers buyers = sale("862", 3_600);
        IntStream.range(0, 1_001).forEach(i -> buyers.buy(SHARD, "user-" + i, 1));
        edit(Jedis::flushAll);
        awaitOpen("862", 2);
        assertThat(books("862").reservations()).hasSize(1_001);
        assertThat(shard.count("862").orElseThrow().available()).isEqualTo(199);
        assertBalanced("862");
    }

    /** What nobody understands is not "mended". */
    @Test
    void shard_stays_closed_while_ledger_and_orders_differ() {
        Buyers buyers = sale("863");
        buyers.buy(SHARD, "alice", 1);
        setSold("863", 2);
        edit(jedis -> jedis.del(RedisKeys.stock("863")));
        await().during(Duration.ofSeconds(2)).until(() -> !state("863").isOpen());
        assertThat(openings("863")).isEmpty();
        setSold("863", 1);
        awaitOpen("863", 2);
        assertBalanced("863");
    }

    @Test
    void shard_that_is_killed_while_it_is_taken_back_is_taken_back_in_the_end() {
        Buyers buyers = sale("864", 3_600);
        IntStream.range(0, 600).forEach(i -> buyers.buy(SHARD, "user-" + i, 1));
        for (int i = 0; i < 5; i++) {
            edit(Jedis::flushAll);
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> openings("864").size() > 0 || state("864").building() > 0);
            restart();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> state("864").isOpen());
        assertThat(books("864").reservations()).hasSize(600);
        assertBalanced("864");
    }

    private Buyers sale(String productId) {
        return sale(productId, 30);
    }

    private Buyers sale(String productId, int units) {
        stock.sell("{'productId':'" + productId + "','stock':" + units + ",'perUserLimit':9}");
        return new Buyers(stock, productId);
    }

    private void seen(String productId, long seq) {
        stock.sql()
                .update(
                        "UPDATE shard_ledger SET last_seq = ? WHERE product_id = ? AND shard = 1",
                        seq,
                        productId);
    }

    private void setSold(String productId, int sold) {
        stock.sql()
                .update(
                        "UPDATE shard_ledger SET sold = ? WHERE product_id = ? AND shard = 1",
                        sold,
                        productId);
    }

    private void restart() {
        stock.shards.get(SHARD).kill();
        stock.shards.get(SHARD).start();
    }

    private void edit(Consumer<Jedis> by) {
        try (Jedis jedis = stock.shards.get(SHARD).connect()) {
            by.accept(jedis);
        }
    }

    /** The shard is open, in this epoch. */
    private void awaitOpen(String productId, int epoch) {
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().untilAsserted(() -> {
            assertThat(state(productId).isOpen()).isTrue();
            assertThat(shard.count(productId).orElseThrow().epoch()).isEqualTo(epoch);
        });
    }

    private ShardState state(String productId) {
        return new QuantityRecovery(shard.shard()).state(productId);
    }

    private Books books(String productId) {
        return shard.books(productId);
    }

    private Part part(String productId) {
        return stock.bean(RecoveryMapper.class).parts().stream()
                .filter(part -> part.productId().equals(productId) && part.shard() == SHARD)
                .findFirst()
                .orElseThrow();
    }

    private Map<String, Object> ledger(String productId) {
        return stock.sql()
                .queryForMap(
                        "SELECT state, last_seq FROM shard_ledger"
                                + " WHERE product_id = ? AND shard = 1",
                        productId);
    }

    private List<String> openings(String productId) {
        return stock.sql()
                .queryForList(
                        "SELECT CONCAT(epoch, ' ', kept_seq) FROM shard_opening"
                                + " WHERE product_id = ? AND shard = 1 ORDER BY epoch",
                        String.class,
                        productId);
    }

    private void assertBalanced(String productId) {
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(stock.audit(productId).body().get("balanced"))
                        .as(String.valueOf(stock.audit(productId).body()))
                        .isEqualTo(true));
    }
}
