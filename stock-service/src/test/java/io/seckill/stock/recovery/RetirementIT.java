package io.seckill.stock.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import io.seckill.stock.Stock.Answer;
import io.seckill.stock.Tokens;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import redis.clients.jedis.Jedis;

/** Shard 2 is given up in each test, with all that lies on it. */
@ExtendWith(OutputCaptureExtension.class)
class RetirementIT {

    private static final int SHARD = 2;

    private final Stock stock = Stock.running();
    private final Retirement retirement = stock.bean(Retirement.class);

    /** No sale of others is moved, and none remembers that the shard was given up. */
    @BeforeEach
    @AfterEach
    void forget() {
        stock.forgetSales();
    }

    @Test
    void units_of_a_dead_shard_are_sold_by_the_others_each_once() {
        Buyers buyers = sale("841", 30);
        buyers.buy(SHARD, "alice", 2);
        stock.shards.get(SHARD).kill();
        try {
            assertThat(retire()).isEqualTo(Map.of("shard", SHARD, "movedUnits", 8));
            retirement.turn();
            retirement.turn();
            assertThat(allocated("841")).containsExactly(14L, 14L, 2L);
            assertThat(available(0, "841")).isEqualTo("14");
            assertThat(available(1, "841")).isEqualTo("14");
            assertThat(retire()).as("again").isEqualTo(Map.of("shard", SHARD, "movedUnits", 0));
            assertThat(stock.sql()
                            .queryForObject(
                                    "SELECT CONCAT(epoch, ' ', kept_seq) FROM shard_opening"
                                            + " WHERE product_id = 841",
                                    String.class))
                    .isEqualTo("2 -1");
            assertThat(stock.audit("841").body().get("balanced")).isEqualTo(true);
        } finally {
            stock.shards.get(SHARD).start();
        }
    }

    @Test
    void unit_of_an_order_that_is_closed_afterwards_goes_to_another_shard() {
        Buyers buyers = sale("842", 30);
        String id = buyers.buy(SHARD, "alice", 3);
        retire();
        buyers.cancel(id, SHARD, 3);
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(allocated("842")).containsExactly(16L, 14L, 0L));
        await().atMost(Duration.ofSeconds(10)).until(() -> available(0, "842").equals("16"));
    }

    @Test
    void shard_that_is_there_after_all_sells_nothing_of_it() {
        sale("843", 30);
        retire();
        assertThat(openFor(SHARD)).isNull();
        await().during(Duration.ofSeconds(2)).until(() -> openFor(SHARD) == null);
        assertThat(stock.get("/admin/shards").body().get("retired")).isEqualTo(List.of(SHARD));
        assertThat(stock.create("{'productId':'844','stock':9}").text("placements"))
                .as("a new sale leaves it out")
                .isEqualTo("0:1:OPEN 1:1:OPEN");
    }

    /** Its last script has yet to run when the shard is given up. */
    @Test
    void shard_that_is_given_up_while_it_is_taken_back_stays_closed() {
        sale("843", 30);
        stock.withoutRecovery(() -> {
            try (Jedis jedis = stock.shards.get(SHARD).connect()) {
                jedis.hdel(RedisKeys.stock("843"), "init"); // it is rebuilt
            }
            Recovery recovery = Steps.recovery(stock, (statement, isDone) -> {
                if (statement.equals("open") && isDone) {
                    retire();
                }
            });
            await().atMost(Duration.ofSeconds(10)).until(() -> {
                recovery.turn(); // the first may only begin to wait for what is queued
                return state("843").equals("RETIRED");
            });
            assertThat(openFor(SHARD)).isNull();
        });
    }

    private String state(String productId) {
        return stock.sql()
                .queryForObject(
                        "SELECT state FROM shard_ledger WHERE product_id = ? AND shard = 2",
                        String.class,
                        productId);
    }

    /** As by a shard that did not answer while it was given up, or a script that came late. */
    @Test
    void retired_part_that_is_open_is_closed() {
        sale("843", 30);
        String identity = openFor(SHARD);
        retire();
        try (Jedis jedis = stock.shards.get(SHARD).connect()) {
            jedis.hset(RedisKeys.stock("843"), "open_for", identity);
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> openFor(SHARD) == null);
    }

    @Test
    void sale_that_is_being_removed_waits_no_longer_for_a_shard_that_was_given_up() {
        stock.sell("{'productId':'848','stock':9,'synthetic':true}");
        stock.shards.get(SHARD).kill();
        try {
            assertThat(remove("848").text("message")).isEqualTo("shard 2 is away; call again");
            retire();
            await().atMost(Duration.ofSeconds(10)).until(() -> remove("848").status() == 200);
        } finally {
            stock.shards.get(SHARD).start();
        }
    }

    private Answer remove(String productId) {
        return stock.send(stock.request("/admin/sales/" + productId)
                .header("Authorization", "Bearer " + Tokens.of("ops"))
                .DELETE());
    }

    /** The units of a change are in the ledger first, and a rebuild is made from that. */
    @Test
    void change_that_a_rebuild_has_counted_is_not_made_again() {
        sale("845", 30);
        stock.withoutRecovery(() -> {
            try (Jedis jedis = stock.shards.get(0).connect()) {
                jedis.del(RedisKeys.stock("845"));
            }
            retire();
            retirement.turn();
        });
        await().atMost(Duration.ofSeconds(10)).until(() -> "15".equals(available(0, "845")));
        retirement.turn();
        assertThat(available(0, "845")).isEqualTo("15");
        assertThat(stock.sql()
                        .queryForList(
                                "SELECT DISTINCT state FROM stock_change WHERE product_id = 845",
                                String.class))
                .containsExactly("DONE");
    }

    /** Which changes it has nobody can tell, so it is made anew with all of them. */
    @Test
    void shard_whose_last_change_is_damaged_gets_its_units_all_the_same() {
        sale("847", 30);
        try (Jedis jedis = stock.shards.get(0).connect()) {
            jedis.hset(RedisKeys.stock("847"), "changed", "5.0");
        }
        retire();
        await().atMost(Duration.ofSeconds(10)).until(() -> "15".equals(available(0, "847")));
        await().atMost(Duration.ofSeconds(10))
                .until(() -> stock.sql()
                                .queryForObject(
                                        "SELECT COUNT(*) FROM stock_change WHERE state = 'WAITING'",
                                        Integer.class)
                        == 0);
    }

    /** One cannot go anywhere: no shard of its sale is left. */
    @Test
    void freed_units_of_one_sale_do_not_wait_for_another_s(CapturedOutput log) {
        sale("849", 30);
        sale("850", 30);
        stock.sql()
                .update("UPDATE shard_ledger SET state = 'RETIRED'"
                        + " WHERE product_id = 849 OR product_id = 850 AND shard = 2");
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(allocated("850")).containsExactly(15L, 15L, 0L));
        await().atMost(Duration.ofSeconds(10)).until(() -> available(0, "850").equals("15"));
        assertThat(allocated("849")).containsExactly(10L, 10L, 10L);
        String logged = "shard 0, product 849, freed units: fails and is tried again each turn: ";
        await().untilAsserted(() ->
                assertThat(log.getAll().split(logged, -1)).as("several turns").hasSize(2));
    }

    @Test
    void last_shard_of_a_sale_and_a_shard_without_sales_are_refused() {
        sale("846", 9);
        stock.sql()
                .update("UPDATE shard_ledger SET state = 'RETIRED', allocated = 0"
                        + " WHERE product_id = 846 AND shard <> 2");
        assertThat(answer(SHARD).text("code")).isEqualTo("BAD_REQUEST");
        assertThat(answer(SHARD).text("message")).contains("last that product 846 has");
        assertThat(answer(7).text("message")).contains("no sale lies on shard 7");
    }

    private Buyers sale(String productId, int units) {
        stock.sell("{'productId':'" + productId + "','stock':" + units + ",'perUserLimit':9}");
        return new Buyers(stock, productId);
    }

    private Map<?, ?> retire() {
        Answer answer = answer(SHARD);
        assertThat(answer.status()).isEqualTo(200);
        return answer.body();
    }

    private Answer answer(int shard) {
        return stock.post("/admin/shards/" + shard + "/retire");
    }

    private List<Long> allocated(String productId) {
        return stock.sql()
                .queryForList(
                        "SELECT allocated FROM shard_ledger WHERE product_id = ? ORDER BY shard",
                        Long.class,
                        productId);
    }

    private String available(int shard, String productId) {
        try (Jedis jedis = stock.shards.get(shard).connect()) {
            return jedis.hget(RedisKeys.stock(productId), "available");
        }
    }

    private String openFor(int shard) {
        try (Jedis jedis = stock.shards.get(shard).connect()) {
            return jedis.hget(RedisKeys.stock("843"), "open_for");
        }
    }
}
