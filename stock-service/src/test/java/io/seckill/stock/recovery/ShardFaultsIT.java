package io.seckill.stock.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.seckill.stock.Stock;
import io.seckill.testkit.RedisProcess;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

/** An operator changes a shard that holds units. */
class ShardFaultsIT {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final Stock stock = Stock.running();
    private final RedisProcess shard = stock.shards.get(1);

    @AfterEach
    void setBack() {
        set("maxmemory-policy", "noeviction");
        set("appendonly", "yes");
        look();
    }

    @ParameterizedTest
    @CsvSource({"maxmemory-policy, allkeys-lru, noeviction", "appendonly, no, yes"})
    void shard_that_is_set_so_that_it_could_forget_units_is_told_until_it_is_set_back(
            String key, String wrong, String right) throws Exception {
        set(key, wrong);
        await().atMost(SOON)
                .until(() -> String.valueOf(details().get("shard 1")).contains(key));
        assertThat(gauge(1)).isEqualTo("1.0");
        assertThat(gauge(0)).isEqualTo("0.0");
        assertThat(stock.health().status()).as("a restart would not help").isEqualTo(200);

        set(key, right);
        awaitNothing(); // a look of the loop may have begun before
        assertThat(gauge(1)).isEqualTo("0.0");
    }

    @Test
    void what_was_seen_of_a_shard_that_is_away_stays_told_and_keeps_no_other_from_a_look()
            throws Exception {
        set("maxmemory-policy", "allkeys-lru");
        look();
        assertThat(details()).containsKey("shard 1");
        shard.kill();
        try (Jedis next = stock.shards.get(2).connect()) {
            next.configSet("maxmemory-policy", "volatile-ttl");
            look();
            assertThat(details()).containsKeys("shard 1", "shard 2");
            next.configSet("maxmemory-policy", "noeviction");
        } finally {
            shard.start(); // with the settings it had at first
        }
        awaitNothing();
    }

    private void awaitNothing() {
        await().atMost(SOON).until(() -> {
            look();
            return details().isEmpty();
        });
    }

    private void set(String key, String value) {
        try (Jedis jedis = shard.connect()) {
            jedis.configSet(key, value);
        }
    }

    /** Now, and not when it is the loop's time. */
    private void look() {
        stock.bean(ShardFaults.class).look();
    }

    @SuppressWarnings("unchecked")
    private Map<String, String> details() {
        Map<String, Map<String, ?>> parts =
                (Map<String, Map<String, ?>>) stock.health().body().get("components");
        Object details = parts.get("shardFaults").get("details");
        return details == null ? Map.of() : (Map<String, String>) details;
    }

    private String gauge(int number) throws IOException, InterruptedException {
        String name = "seckill_shard_misconfigured{hop=\"stock\",shard=\"" + number + "\"} ";
        return HttpClient.newHttpClient()
                .send(stock.request("/actuator/prometheus").build(), BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .findFirst()
                .orElseThrow();
    }
}
