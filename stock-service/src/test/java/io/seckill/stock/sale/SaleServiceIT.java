package io.seckill.stock.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.Bounds;
import io.seckill.contracts.RedisKeys;
import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.stock.Stock.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class SaleServiceIT {

    /** Without a row of the ledger, so that no background turn can open it. */
    private static final String NEVER_OPENED = """
            INSERT INTO sale VALUES (?, 'ended', 0, 1, 2, 1, 'off', 900, 1, FALSE, 'PREPARING', 1)""";

    private final Stock stock = Stock.running();

    @Test
    void new_sale_is_split_loaded_opened_and_published() {
        Answer answer = stock.create("{'productId':'101','stock':11,'priceCents':9900,"
                + "'startAt':'2026-01-01T08:00:00+08:00','endAt':'2026-01-02T00:00:00Z'}");

        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.body().toString())
                .isEqualTo(
                        "{productId=101, stock=11, "
                                + "priceCents=9900, name=Product 101, perUserLimit=1, "
                                + "startAt=2026-01-01T00:00:00Z, endAt=2026-01-02T00:00:00Z, path=off, "
                                + "payWithinSeconds=900, synthetic=false, placements=0:1:OPEN 1:1:OPEN 2:1:OPEN}");
        assertThat(stock.available("101")).containsExactly("4", "4", "3");
        assertThat(stock.saleFacts("101"))
                .isEqualTo(Map.ofEntries(
                        Map.entry("product_id", "101"),
                        Map.entry("name", "Product 101"),
                        Map.entry("price_cents", "9900"),
                        Map.entry("start_at_ms", "1767225600000"),
                        Map.entry("end_at_ms", "1767312000000"),
                        Map.entry("per_user_limit", "1"),
                        Map.entry("path", "off"),
                        Map.entry("pay_within_s", "900"),
                        Map.entry("stock_total", "11"),
                        Map.entry("sold_out", "0"),
                        Map.entry("synthetic", "0"),
                        Map.entry("placements", "0:1:OPEN 1:1:OPEN 2:1:OPEN")));
        assertThat(stock.quota("101"))
                .containsAllEntriesOf(Map.of("total", "13", "issued", "0", "units", "11"))
                .containsOnlyKeys("total", "issued", "units", "epoch", "open_for", "percent");
        assertThat(listed("101")).isTrue();
        assertThat(stock.sql()
                        .queryForList(
                                "SELECT allocated FROM shard_ledger WHERE product_id = 101 "
                                        + "AND loaded_at_ms IS NOT NULL ORDER BY shard",
                                Long.class))
                .containsExactly(4L, 4L, 3L);
    }

    @Test
    void synthetic_sale_is_published_as_such_and_stays_what_it_is() {
        Answer made = stock.create("{'productId':'114','stock':3,'synthetic':true}");

        assertThat(made.body().get("synthetic")).isEqualTo(true);
        assertThat(stock.saleFacts("114")).containsEntry("synthetic", "1");
        assertThat(stock.create("{'productId':'114','stock':3}").status()).isEqualTo(200);
        assertThat(stock.create("{'productId':'114','stock':3,'synthetic':false}")
                        .text("message"))
                .contains("synthetic is true, asked for false");
    }

    @Test
    void same_numbers_again_change_nothing_even_after_units_were_sold() {
        stock.create("{'productId':'102','stock':3,'priceCents':5,'perUserLimit':2}");
        new Buyers(stock, "102").take(0, "alice", 1);
        List<String> left = stock.available("102");

        assertThat(stock.create("{'productId':'102','stock':3}").status()).isEqualTo(200);
        assertThat(stock.create("{'productId':'102','stock':3,'priceCents':5}").body())
                .isEqualTo(stock.create("{'productId':'102','stock':3,'perUserLimit':2}")
                        .body());
        assertThat(stock.available("102")).isEqualTo(left);
    }

    @Test
    void other_numbers_are_refused_with_both_values_and_change_nothing() {
        stock.create("{'productId':'103','stock':3}");

        Answer answer = stock.create("{'productId':'103','stock':4,'priceCents':7,'path':'off'}");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.text("code")).isEqualTo("SALE_CONFLICT");
        assertThat(answer.text("message"))
                .contains("stock is 3, asked for 4; priceCents is 0, asked for 7.")
                .contains("use another product id")
                .doesNotContain("path");
        assertThat(stock.available("103")).containsExactly("1", "1", "1");
    }

    @Test
    void ended_sale_is_not_opened_again() {
        String ended = "'startAt':'2020-01-01T00:00:00Z','endAt':'2020-01-02T00:00:00Z'}";
        assertThat(stock.create("{'productId':'104','stock':3," + ended).status())
                .isEqualTo(201);
        assertThat(stock.create("{'productId':'104','stock':3," + ended).status())
                .isEqualTo(200);
        assertThat(stock.create("{'productId':'104','stock':9}").text("message"))
                .contains("also after its end");
    }

    @Test
    void two_different_creates_at_once_make_one_sale_and_a_conflict() {
        List<CompletableFuture<Answer>> calls = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(() ->
                        stock.create("{'productId':'105','stock':" + (i % 2 == 0 ? 30 : 60) + "}")))
                .toList();
        List<Integer> statuses =
                calls.stream().map(call -> call.join().status()).sorted().toList();

        assertThat(statuses).containsExactly(200, 200, 200, 201, 409, 409, 409, 409);
        assertThat(stock.available("105")).containsAnyOf("10", "20");
        assertThat(stock.available("105").stream().distinct()).hasSize(1);
        assertThat(stock.sql()
                        .queryForObject(
                                "SELECT COUNT(*) FROM shard_ledger WHERE product_id = 105",
                                Integer.class))
                .isEqualTo(3);
    }

    @Test
    void shard_away_at_preheat_is_named_and_the_sale_opens_when_it_is_back() {
        stock.shards.get(1).kill();
        try {
            Answer answer = stock.create("{'productId':'106','stock':9}");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text("message")).isEqualTo("shard 1 is away; call again");
            assertThat(stock.saleFacts("106")).isEmpty();
            assertThat(listed("106")).isFalse();
        } finally {
            stock.shards.get(1).start();
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> listed("106"));
        assertThat(stock.create("{'productId':'106','stock':9}").status()).isEqualTo(200);
        assertThat(stock.available("106")).containsExactly("3", "3", "3");
    }

    /** Nobody may sell carol's unit twice; until it is known again the sale is not sold out. */
    @Test
    void shard_that_lost_its_data_never_offers_a_unit_that_is_sold() {
        stock.create("{'productId':'107','stock':3}");
        Buyers buyers = new Buyers(stock, "107");
        buyers.buy(0, "alice", 1);
        buyers.buy(1, "bob", 1);
        buyers.buy(2, "carol", 1);
        stock.awaitSoldOut("107", "1");
        try (Jedis jedis = stock.shards.get(2).connect()) {
            jedis.del(RedisKeys.stock("107"), RedisKeys.buyers("107"));
            jedis.del(RedisKeys.reservations("107"), RedisKeys.outbox("107"));
        }
        stock.awaitSoldOut("107", "0");
        assertThat(stock.create("{'productId':'107','stock':3}").status()).isEqualTo(200);
        assertThat(stock.available("107").get(2)).isIn(null, "0");
    }

    @Test
    void units_of_an_earlier_life_are_never_sold_as_this_sale_s() {
        stock.bean(QuantityStocks.class).get(0).load("108", 1, 5);

        Answer answer = stock.create("{'productId':'108','stock':9}");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.text("message"))
                .contains("Shard 0 holds units of an earlier sale of 108");
        assertThat(listed("108")).isFalse();
        stock.sql().update("DELETE FROM shard_ledger WHERE product_id = 108");
        stock.sql().update("DELETE FROM sale WHERE product_id = 108");
    }

    @Test
    void sale_that_cannot_be_opened_does_not_keep_the_next_from_it() {
        stock.bean(QuantityStocks.class).get(0).load("111", 1, 5);
        String late = "{'productId':'111','stock':9,'endAt':'2099-01-01T00:00:00Z'}";
        assertThat(stock.create(late).status()).isEqualTo(409);
        stock.shards.get(1).kill();
        try {
            assertThat(stock.create("{'productId':'112','stock':9}").status()).isEqualTo(503);
        } finally {
            stock.shards.get(1).start();
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> listed("112"));
        assertThat(listed("111")).isFalse();
        stock.sql().update("DELETE FROM shard_ledger WHERE product_id = 111");
        stock.sql().update("DELETE FROM sale WHERE product_id = 111");
    }

    @Test
    void malformed_request_is_refused_and_writes_nothing() {
        assertThat(stock.create("{'productId':'109','stock':0}").status()).isEqualTo(400);
        assertThat(stock.create("{'productId':'109'").text("code")).isEqualTo("BAD_REQUEST");
        assertThat(stock.create("{'productId':'109','stock':1,'name':'" + "x".repeat(20_000) + "'}")
                        .status())
                .isEqualTo(413);
        assertThat(stock.sql()
                        .queryForObject(
                                "SELECT COUNT(*) FROM sale WHERE product_id = 109", Integer.class))
                .isZero();
    }

    @Test
    void one_sale_too_many_is_refused_and_a_known_one_is_not() {
        stock.create("{'productId':'113','stock':3}");
        int room = Bounds.SALES
                - stock.sql().queryForObject("SELECT COUNT(*) FROM sale", Integer.class);
        stock.sql()
                .batchUpdate(
                        NEVER_OPENED,
                        IntStream.range(1, room)
                                .mapToObj(i -> new Object[] {Integer.toString(500_000 + i)})
                                .toList());
        try {
            List<CompletableFuture<Answer>> calls = IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> stock.create("{'productId':'40000" + i + "','stock':3}")))
                    .toList();
            List<Integer> taken = calls.stream()
                    .map(call -> call.join().status())
                    .filter(status -> status != 409)
                    .toList();
            assertThat(taken).hasSize(1).isSubsetOf(201, 503); // written; a slow shard is BUSY

            Answer answer = stock.create("{'productId':'400009','stock':3}");
            assertThat(answer.text("code")).isEqualTo("SALE_CONFLICT");
            assertThat(answer.text("message"))
                    .isEqualTo("There are 1000 sales, the most there may be; ended ones count too");
            assertThat(stock.available("400009")).containsExactly(null, null, null);
            assertThat(stock.create("{'productId':'113','stock':3}").status()).isEqualTo(200);
        } finally {
            stock.sql().update("DELETE FROM sale WHERE name = 'ended'");
            await().atMost(Duration.ofSeconds(5)).until(() -> stock.health().status() == 200);
        }
    }

    private boolean listed(String productId) {
        try (Jedis jedis = stock.control.connect()) {
            return jedis.sismember(RedisKeys.SALES, productId);
        }
    }
}
