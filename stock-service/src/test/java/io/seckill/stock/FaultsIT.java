package io.seckill.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.stock.Stock.Answer;
import io.seckill.stock.returns.ReturnService;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What happens while a store is away or silent, and that nothing is lost or doubled by it. */
class FaultsIT {

    private final Stock stock = Stock.running();

    @Test
    void database_away_is_named_and_sold_out_is_still_published() {
        stock.create("{'productId':'701','stock':3}");
        Buyers buyers = new Buyers(stock, "701");
        awaitWatched("701");
        stock.database.kill();
        try {
            assertBusy(stock.create("{'productId':'702','stock':3}"), "the database is away");
            assertBusy(stock.audit("701"), "the database is away");
            assertThat(stock.health().status()).isEqualTo(503);
            for (int shard = 0; shard < 3; shard++) {
                buyers.take(shard, "user-" + shard, 1);
            }
            stock.awaitSoldOut("701", "1");
        } finally {
            stock.database.start();
        }
        await().atMost(Duration.ofSeconds(20))
                .until(() -> stock.create("{'productId':'702','stock':3}").status() == 201);
        assertThat(stock.health().status()).isEqualTo(200);
    }

    @Test
    void silent_shard_at_preheat_is_busy_and_gets_its_units_once() throws Exception {
        signal("-STOP", 1);
        try {
            assertBusy(stock.create("{'productId':'703','stock':9}"), "shard 1 is away");
        } finally {
            signal("-CONT", 1);
        }
        await().atMost(Duration.ofSeconds(10))
                .until(() -> stock.create("{'productId':'703','stock':9}").status() == 200);
        assertThat(stock.available("703")).containsExactly("3", "3", "3");
    }

    /** Whether it was sent is a matter of milliseconds, so it is tried until the fault bites. */
    @Test
    void return_whose_answer_was_lost_gives_the_unit_back_once() throws Exception {
        stock.create("{'productId':'704','stock':90}");
        Buyers buyers = new Buyers(stock, "704");
        boolean bitten = false;
        for (int i = 0; i < 25 && !bitten; i++) {
            String user = "alice-" + i;
            String id = buyers.take(2, user, 1);
            signal("-STOP", 2);
            try {
                stock.bean(ReturnService.class)
                        .settle(List.of(buyers.giveBack(id, 2, user, Action.RETURN)));
                assertThat(outcome(id)).isEqualTo("WAITING");
            } finally {
                signal("-CONT", 2);
            }
            await().atMost(Duration.ofSeconds(10)).until(() -> !outcome(id).equals("WAITING"));
            assertThat(stock.available("704")).containsExactly("30", "30", "30");
            bitten = outcome(id).equals("ALREADY_DONE");
        }
        assertThat(bitten).as("vacuous: no answer was lost").isTrue();
    }

    private String outcome(String id) {
        return stock.sql()
                .queryForObject(
                        "SELECT outcome FROM stock_return WHERE reservation_id = ?",
                        String.class,
                        id);
    }

    /** The relay knows the sale by itself once the preheat loop has read the database. */
    private void awaitWatched(String productId) {
        try (Jedis control = stock.control.connect()) {
            control.del(RedisKeys.quota(productId));
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> control.exists(RedisKeys.quota(productId)));
        }
    }

    private static void assertBusy(Answer answer, String why) {
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.text("code")).isEqualTo("BUSY");
        assertThat(answer.text("message")).startsWith(why);
    }

    private void signal(String signal, int shard) throws Exception {
        String pid = Long.toString(stock.shards.get(shard).pid());
        assertThat(new ProcessBuilder("kill", signal, pid).start().waitFor()).isZero();
    }
}
