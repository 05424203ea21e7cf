package io.seckill.stock.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.contracts.RedisKeys;
import io.seckill.stock.Stock;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class ShardGaugesIT {

    private final Stock stock = Stock.running();

    @Test
    void shard_s_state_its_closed_parts_and_for_how_long_are_printed() {
        sale("871");
        awaitPrinted(state("OPEN", 1), state("CLOSED", 0), state("AWAY", 0), closedSeconds("0"));

        stock.shards.get(0).kill();
        try {
            awaitPrinted(state("OPEN", 0), state("AWAY", 1), closedSeconds("[1-9][0-9]*"));
        } finally {
            stock.shards.get(0).start();
        }
        awaitPrinted(state("OPEN", 1), state("AWAY", 0), closedSeconds("0"));
    }

    @Test
    void part_that_is_not_taken_back_counts_as_closed() {
        sale("872");
        String sold = "UPDATE shard_ledger SET sold = ? WHERE product_id = 872 AND shard = 0";
        stock.sql().update(sold, 1); // nothing is touched while ledger and orders differ
        try (Jedis jedis = stock.shards.get(0).connect()) {
            jedis.del(RedisKeys.stock("872"));
            awaitPrinted(state("CLOSED", 1), gauge("closed_parts", "1"), gauge("parts", "1"));
        } finally {
            stock.sql().update(sold, 0);
        }
        awaitPrinted(state("CLOSED", 0), gauge("closed_parts", "0"));
    }

    /** No other lies on the shards: tests leave damage behind. */
    private void sale(String product) {
        stock.forgetSales();
        stock.sell("{'productId':'" + product + "','stock':9}");
    }

    private static String state(String state, int value) {
        return "seckill_shard_state\\{hop=\"stock\",shard=\"0\",state=\"" + state + "\"} " + value
                + "[.]0";
    }

    private static String closedSeconds(String value) {
        return gauge("closed_seconds", value);
    }

    private static String gauge(String name, String value) {
        return "seckill_shard_" + name + "\\{hop=\"stock\",shard=\"0\"} " + value + "[.]0";
    }

    private void awaitPrinted(String... lines) {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            List<String> printed = printed();
            for (String line : lines) {
                assertThat(printed).anyMatch(text -> text.matches(line));
            }
        });
    }

    private List<String> printed() throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(stock.request("/actuator/prometheus").build(), BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith("seckill_shard_"))
                .toList();
    }
}
