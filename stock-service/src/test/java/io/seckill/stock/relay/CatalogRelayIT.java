package io.seckill.stock.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.SoldOutWord;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.stock.limit.LimitCopy;
import io.seckill.stock.returns.ReturnService;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleMapper;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class CatalogRelayIT {

    private final Stock stock = Stock.running();
    private Jedis control;

    @BeforeEach
    void connect() {
        control = stock.control.connect();
    }

    @AfterEach
    void disconnect() {
        control.close();
    }

    @Test
    void sold_out_is_said_when_every_shard_is_empty_and_taken_back_when_a_unit_returns() {
        stock.create("{'productId':'201','stock':3}");
        Buyers buyers = new Buyers(stock, "201");
        buyers.take(0, "alice", 1);
        buyers.take(1, "bob", 1);
        String last = buyers.take(2, "carol", 1);
        stock.awaitSoldOut("201", "1");

        stock.bean(QuantityStocks.class)
                .get(2)
                .giveBack(buyers.giveBack(last, 2, "carol", Action.RETURN));

        stock.awaitSoldOut("201", "0");
    }

    @Test
    void returned_unit_takes_sold_out_back_and_makes_the_version_another() {
        stock.create("{'productId':'231','stock':3}");
        Buyers buyers = new Buyers(stock, "231");
        buyers.take(0, "alice", 1);
        buyers.take(1, "bob", 1);
        String last = buyers.take(2, "carol", 1);
        stock.awaitSoldOut("231", "1");
        SoldOutWord word = stock.bean(SoldOutWord.class);
        String before = word.version("231");

        stock.bean(ReturnService.class)
                .settle(List.of(buyers.giveBack(last, 2, "carol", Action.RETURN)));

        assertThat(stock.saleFacts("231")).containsEntry("sold_out", "0");
        assertThat(word.version("231")).isNotEqualTo(before);
        assertThat(word.soldOut("231", before)).isFalse();
        assertThat(control.xlen(RedisKeys.SALE_CHANGES)).isPositive();
    }

    @Test
    void sold_out_is_not_said_while_a_shard_cannot_be_asked() {
        stock.create("{'productId':'202','stock':3}");
        Buyers buyers = new Buyers(stock, "202");
        buyers.take(0, "alice", 1);
        buyers.take(1, "bob", 1);
        buyers.take(2, "carol", 1);
        stock.awaitSoldOut("202", "1");
        stock.shards.get(1).kill();
        try {
            stock.awaitSoldOut("202", "0");
        } finally {
            stock.shards.get(1).start();
        }
        stock.awaitSoldOut("202", "1");
    }

    /** A shard that was opened anew tells nothing of the units of this life of the sale. */
    @Test
    void units_of_another_epoch_are_neither_counted_nor_taken_for_sold_out() {
        stock.create("{'productId':'211','stock':3}");
        stock.withoutRecovery(this::tellOfAnotherEpoch);
    }

    private void tellOfAnotherEpoch() {
        Buyers buyers = new Buyers(stock, "211");
        buyers.take(0, "alice", 1);
        buyers.take(1, "bob", 1);
        setEpoch(2, "211", 2);
        control.hset(RedisKeys.quota("211"), "issued", "4");
        awaitTurn("211");
        assertThat(stock.quota("211")).containsEntry("total", "4").containsEntry("issued", "4");

        buyers.take(2, "carol", 1);
        awaitTurn("211");
        assertThat(stock.saleFacts("211")).containsEntry("sold_out", "0");

        setEpoch(2, "211", 1);
        stock.awaitSoldOut("211", "1");
    }

    /** Nobody can take them; and whether there are any is known once the shard is taken back. */
    @Test
    void units_behind_a_closed_gate_are_neither_counted_nor_taken_for_sold_out() {
        stock.create("{'productId':'212','stock':3}");
        Buyers buyers = new Buyers(stock, "212");
        buyers.take(0, "alice", 1);
        buyers.take(1, "bob", 1);
        stock.withoutRecovery(() -> {
            String identity = openFor("212", "another");
            control.hset(RedisKeys.quota("212"), "issued", "4");
            awaitTurn("212");
            assertThat(stock.quota("212")).containsEntry("total", "4");

            openFor("212", identity);
            buyers.take(2, "carol", 1);
            stock.awaitSoldOut("212", "1");
            openFor("212", "another");
            stock.awaitSoldOut("212", "0");
        });
        stock.awaitSoldOut("212", "1");
    }

    /** Sets whom the part in shard 2 is open for; whom it was. */
    private String openFor(String productId, String identity) {
        try (Jedis jedis = stock.shards.get(2).connect()) {
            String before = jedis.hget(RedisKeys.stock(productId), "open_for");
            jedis.hset(RedisKeys.stock(productId), "open_for", identity);
            return before;
        }
    }

    private void setEpoch(int shard, String productId, int epoch) {
        try (Jedis jedis = stock.shards.get(shard).connect()) {
            jedis.hset(RedisKeys.stock(productId), "epoch", Integer.toString(epoch));
        }
    }

    @Test
    void wiped_control_redis_is_rebuilt_within_a_second() {
        stock.create("{'productId':'203','stock':30,'name':'kept'}");
        Map<String, String> before = stock.saleFacts("203");
        await().until(() -> control.scard(RedisKeys.SALES) > 0);

        control.flushAll();

        soon(() -> {
            assertThat(control.sismember(RedisKeys.SALES, "203")).isTrue();
            assertThat(stock.saleFacts("203")).isEqualTo(before);
            assertThat(stock.quota("203")).containsEntry("total", "33");
        });
    }

    /** It spoke of that sale alone: what it has of others counts. */
    @Test
    void damaged_sale_keeps_no_unit_of_another_in_its_shard_from_being_counted() {
        stock.create("{'productId':'233','stock':3}");
        stock.create("{'productId':'234','stock':30}");
        stock.withoutRecovery(() -> {
            try (Jedis jedis = stock.shards.get(1).connect()) {
                jedis.del(RedisKeys.stock("233"));
                jedis.set(RedisKeys.stock("233"), "not a hash");
                awaitTurn("233");
                control.del(RedisKeys.quota("234"));
                soon(() -> assertThat(stock.quota("234")).containsEntry("units", "30"));
                jedis.del(RedisKeys.stock("233"));
            }
        });
    }

    /** As of who read it, and slept while another wrote. */
    @Test
    void total_is_written_of_what_was_read_and_is_never_less_than_what_was_issued_since() {
        stock.create("{'productId':'235','stock':30}");
        Sale sale = stock.bean(SaleMapper.class).find("235").orElseThrow();
        Catalog catalog = stock.bean(Catalog.class);
        String key = RedisKeys.quota("235");
        stock.without("publishLoop", () -> {
            Catalog.Entry found = catalog.read(List.of(sale)).get(0).get();
            Runnable write = () -> catalog.write(sale, found, new UnitsLeft.Count(30, true), 200);
            control.hset(key, "total", "40");
            write.run();
            assertThat(stock.quota("235")).containsEntry("total", "40");

            control.hset(key, Map.of("total", "33", "epoch", "7"));
            write.run();
            assertThat(stock.quota("235")).containsEntry("total", "33");

            control.hset(key, Map.of("epoch", found.quota().epoch(), "issued", "61"));
            write.run();
            assertThat(stock.quota("235"))
                    .containsEntry("total", "61")
                    .containsEntry("issued", "61");

            control.hset(key, Map.of("total", "33", "issued", "0"));
            write.run();
            assertThat(stock.quota("235")).containsEntry("total", "60");
        });
    }

    /** What was issued is not known any more; what is left in the shards is. */
    @Test
    void wiped_or_restarted_control_redis_issues_for_the_units_that_are_left_and_no_more() {
        stock.create("{'productId':'232','stock':30}");
        Buyers buyers = new Buyers(stock, "232");
        for (int n = 0; n < 10; n++) {
            buyers.take(0, "user-" + n, 1);
        }
        String first = issue("232", "33");

        control.flushAll();
        String second = awaitQuota("232", first, "22");
        issue("232", "5");

        stock.control.kill();
        stock.control.start();
        awaitQuota("232", second, "22");
    }

    /** As edges do; the epoch. */
    private String issue(String productId, String count) {
        control.hset(RedisKeys.quota(productId), "issued", count);
        return stock.quota(productId).get("epoch");
    }

    private String awaitQuota(String productId, String before, String total) {
        soon(() -> assertThat(stock.quota(productId))
                .containsEntry("total", total)
                .containsEntry("issued", "0")
                .hasEntrySatisfying("epoch", epoch -> assertThat(epoch).isNotEqualTo(before)));
        return stock.quota(productId).get("epoch");
    }

    @Test
    void lost_key_and_hand_edited_field_are_repaired() {
        stock.create("{'productId':'204','stock':30}");
        control.del(RedisKeys.quota("204"));
        control.hset(RedisKeys.sale("204"), "end_at_ms", "1");
        control.hdel(RedisKeys.sale("204"), "name");
        control.srem(RedisKeys.SALES, "204");
        soon(() -> {
            assertThat(stock.quota("204")).containsEntry("total", "33");
            assertThat(stock.saleFacts("204")).containsEntry("name", "Product 204");
            assertThat(stock.saleFacts("204").get("end_at_ms")).hasSize(13);
            assertThat(control.sismember(RedisKeys.SALES, "204")).isTrue();
        });
    }

    @Test
    void damaged_sale_does_not_keep_the_others_from_being_published() {
        stock.create("{'productId':'205','stock':3}");
        stock.create("{'productId':'206','stock':3}");
        stock.create("{'productId':'207','stock':3}");
        control.del(RedisKeys.sale("206"));
        control.set(RedisKeys.sale("206"), "not a hash");
        control.del(RedisKeys.sale("205"), RedisKeys.sale("207"));
        soon(() -> {
            assertThat(stock.saleFacts("205")).isNotEmpty();
            assertThat(stock.saleFacts("207")).isNotEmpty();
        });
        control.del(RedisKeys.sale("206"));
        soon(() -> assertThat(stock.saleFacts("206")).isNotEmpty());
    }

    @Test
    void another_percent_raises_or_lowers_the_quota_and_a_bad_one_changes_nothing() {
        stock.create("{'productId':'208','stock':30}");
        assertThat(stock.quota("208")).containsEntry("total", "33");
        control.hset(RedisKeys.productLimits("208"), "quota_percent", "200");
        soon(() -> assertThat(stock.quota("208")).containsEntry("total", "60"));
        control.hset(RedisKeys.productLimits("208"), "quota_percent", "110");
        soon(() -> assertThat(stock.quota("208")).containsEntry("total", "33"));
        control.hset(RedisKeys.productLimits("208"), "quota_percent", "200");
        soon(() -> assertThat(stock.quota("208")).containsEntry("total", "60"));
        control.hset(RedisKeys.productLimits("208"), "quota_percent", "lots");
        new CatalogRelay(
                        stock.bean(Catalog.class),
                        stock.bean(QuantityStocks.class),
                        stock.bean(LimitCopy.class))
                .publish(List.of(stock.bean(SaleMapper.class).find("208").orElseThrow()));
        assertThat(stock.quota("208"))
                .as("who began after the good one")
                .containsEntry("total", "60");
        control.hset(RedisKeys.quota("208"), "total", "1");
        soon(() -> assertThat(stock.quota("208")).containsEntry("total", "60"));
    }

    @Test
    void quota_that_is_all_issued_grows_while_units_are_left_and_only_then() {
        stock.create("{'productId':'209','stock':3}");
        assertThat(stock.quota("209")).containsEntry("total", "4");
        control.hset(RedisKeys.quota("209"), "issued", "4");
        soon(() -> assertThat(stock.quota("209")).containsEntry("total", "8"));

        Buyers buyers = new Buyers(stock, "209");
        for (int shard = 0; shard < 3; shard++) {
            buyers.take(shard, "user-" + shard, 1);
        }
        stock.awaitSoldOut("209", "1");
        control.hset(RedisKeys.quota("209"), "issued", "8");
        awaitTurn("209");
        assertThat(stock.quota("209")).containsEntry("total", "8").containsEntry("issued", "8");
    }

    @Test
    void control_redis_away_makes_a_create_busy_and_the_sale_is_published_when_it_is_back() {
        stock.control.kill();
        try {
            Stock.Answer answer = stock.create("{'productId':'210','stock':3}");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text("message")).startsWith("the control Redis is away; call again");
            assertThat(stock.health().body().get("status")).isEqualTo("UP");
        } finally {
            stock.control.start();
        }
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(
                        () -> assertThat(stock.saleFacts("210")).containsEntry("sold_out", "0"));
        assertThat(stock.create("{'productId':'210','stock':3}").status()).isEqualTo(200);
    }

    /** A turn that has seen all that was written before. */
    private void awaitTurn(String productId) {
        control.hdel(RedisKeys.sale(productId), "name");
        soon(() -> assertThat(stock.saleFacts(productId)).containsKey("name"));
    }

    /** "Within a second", and one more for a busy machine. */
    private static void soon(ThrowingRunnable holds) {
        await().atMost(Duration.ofSeconds(2))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(holds);
    }
}
