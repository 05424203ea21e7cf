package io.seckill.stock.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.stock.Buyers;
import io.seckill.stock.Stock;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import redis.clients.jedis.Jedis;

/** What {@code GET /admin/shards} says of shard 1, on which one sale lies. */
@ExtendWith(OutputCaptureExtension.class)
class ShardListIT {

    private static final int SHARD = 1;

    private final Stock stock = Stock.running();

    @Test
    void part_that_is_open_shows_its_epoch_and_what_its_gate_compares() {
        sale("877", 30);
        awaitPart("state", "OPEN");
        assertThat(part()).containsEntry("epoch", 1).containsEntry("sinceMs", 0);
        assertThat(gate().get("identity")).isEqualTo(gate().get("openFor"));
        assertThat((String) gate().get("identity")).matches("[0-9a-f]{40}");
    }

    @Test
    void shard_that_is_away_says_why() {
        sale("878", 30);
        stock.shards.get(SHARD).kill();
        try {
            await().until(() -> "AWAY".equals(shard().get("state")));
            assertThat((String) shard().get("why")).contains("did not do it");
            assertThat(part()).containsEntry("state", "AWAY").containsEntry("gate", null);
        } finally {
            stock.shards.get(SHARD).start();
        }
        awaitPart("state", "OPEN");
        assertThat(shard()).containsEntry("why", "");
    }

    @Test
    void part_whose_ledger_and_orders_differ_says_so_and_is_logged_once(CapturedOutput log) {
        sale("879", 30).buy(SHARD, "alice", 1);
        setSold("879", 3);
        edit(jedis -> jedis.del(RedisKeys.stock("879")));
        String what = "3 units are sold, but its live orders are of 1";
        await().until(() -> ((String) part().get("doing")).contains(what));
        assertThat(part()).containsEntry("state", "CLOSED");
        await().pollDelay(Duration.ofSeconds(5)).until(() -> true); // two turns at least
        assertThat(stock.loop("recoveryLoop").health().getDetails())
                .as("the turns of all others come as often as ever")
                .containsEntry("failing", false);
        String logged = "shard 1, product 879: cannot be taken back";
        assertThat(log.getAll().split(logged, -1)).hasSize(2);
        setSold("879", 4);
        await().until(() -> log.getAll().split(logged, -1).length == 3);
        setSold("879", 1);
        awaitPart("state", "OPEN");
        await().untilAsserted(() -> {
            assertThat(log.getAll().split("shard 1, product 879: closed, epoch 1: ", -1))
                    .hasSize(2);
            assertThat(log.getAll().split("shard 1, product 879: waits until what it ", -1))
                    .hasSize(2);
        });
    }

    @Test
    void part_that_another_instance_takes_back_says_so() throws SQLException {
        sale("880", 30);
        try (Connection other = stock.bean(DataSource.class).getConnection();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT GET_LOCK(CONCAT(DATABASE(), '.recovery'), 10)");
            edit(Jedis::flushAll);
            awaitPart("doing", "another stock-service has the turn");
            statement.execute("SELECT RELEASE_LOCK(CONCAT(DATABASE(), '.recovery'))");
        }
        awaitPart("state", "OPEN");
    }

    @Test
    void rebuild_says_how_long_it_will_yet_take() {
        Buyers buyers = sale("881", 3_600);
        IntStream.range(0, 1_001).forEach(i -> buyers.buy(SHARD, "user-" + i, 1));
        List<Object> remaining = new ArrayList<>();
        stock.withoutRecovery(() -> {
            edit(jedis -> jedis.del(RedisKeys.stock("881")));
            Recovery recovery = Steps.recovery(stock, (statement, isDone) -> {
                if (statement.equals("holders") && !isDone) {
                    assertThat((String) part().get("doing")).contains("orders of 1001 units");
                    remaining.add(part().get("remainingMs"));
                    await().pollDelay(Duration.ofMillis(100)).until(() -> true);
                }
            });
            await().until(() -> {
                recovery.turn(); // the first may only begin to wait for what is queued
                return part().get("state").equals("OPEN");
            });
        });
        assertThat(remaining).hasSize(3).startsWith((Object) null);
        assertThat((int) remaining.get(1)).as("500 of 1,001 took 100 ms").isGreaterThan(99);
        assertThat((int) remaining.get(2)).isLessThan((int) remaining.get(1));
        assertThat(part()).containsEntry("remainingMs", null).containsEntry("epoch", 2);
    }

    private Buyers sale(String productId, int units) {
        stock.forgetSales();
        stock.sell("{'productId':'" + productId + "','stock':" + units + ",'perUserLimit':9}");
        await().until(() -> part().get("productId").equals(productId));
        return new Buyers(stock, productId);
    }

    private void setSold(String productId, int sold) {
        stock.sql()
                .update(
                        "UPDATE shard_ledger SET sold = ? WHERE product_id = ? AND shard = 1",
                        sold,
                        productId);
    }

    private void edit(Consumer<Jedis> by) {
        try (Jedis jedis = stock.shards.get(SHARD).connect()) {
            by.accept(jedis);
        }
    }

    private void awaitPart(String field, Object value) {
        await().atMost(Duration.ofSeconds(20)).until(() -> value.equals(part().get(field)));
    }

    private Map<?, ?> gate() {
        return (Map<?, ?>) part().get("gate");
    }

    /** Empty while the list has none. */
    @SuppressWarnings("unchecked")
    private Map<String, Object> part() {
        List<?> parts = (List<?>) shard().getOrDefault("parts", List.of());
        return parts.isEmpty()
                ? Map.of("productId", "", "doing", "", "state", "")
                : (Map<String, Object>) parts.get(0);
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> shard() {
        return ((List<Map<String, Object>>) stock.get("/admin/shards").body().get("shards"))
                .stream()
                        .filter(shard -> shard.get("shard").equals(SHARD))
                        .findFirst()
                        .orElse(Map.of());
    }
}
