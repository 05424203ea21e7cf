package io.seckill.stock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.RedisKeys;
import io.seckill.stock.Stock;
import io.seckill.stock.Stock.Answer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

/** No unit is put where it could be forgotten, and whoever asked is told why. */
class PreheaterIT {

    private static final int SICK = 1;
    private static final AtomicLong NEXT_PRODUCT = new AtomicLong(880_001);

    private final Stock stock = Stock.running();
    private final String product = Long.toString(NEXT_PRODUCT.getAndIncrement());
    private final String sale = "{'productId':'%s','stock':3}".formatted(product);

    @ParameterizedTest
    @CsvSource({"maxmemory-policy, allkeys-lru, noeviction", "appendonly, no, yes"})
    void shard_that_may_forget_units_is_refused_with_the_reason_until_it_is_mended(
            String setting, String wrong, String right) {
        try (Jedis shard = stock.shards.get(SICK).connect()) {
            shard.configSet(setting, wrong);
            try {
                assertRefused(setting);
                assertThat(shard.exists(RedisKeys.stock(product))).isFalse();
            } finally {
                shard.configSet(setting, right);
            }
        }
        stock.sell(sale);
        assertThat(stock.available(product)).containsExactly("1", "1", "1");
    }

    @Test
    void key_of_a_wrong_type_is_refused_and_named_before_anything_is_written() {
        List<String> keys = List.of(
                RedisKeys.stock(product),
                RedisKeys.buyers(product),
                RedisKeys.reservations(product),
                RedisKeys.outbox(product));
        try (Jedis shard = stock.shards.get(SICK).connect()) {
            for (String key : keys) {
                keys.forEach(shard::del);
                shard.set(key, "not what it should be");
                assertRefused(key);
                assertThat(shard.keys("*{" + product + "}*")).containsExactly(key);
            }
            keys.forEach(shard::del);
        }
        stock.sell(sale);
        assertThat(stock.available(product)).containsExactly("1", "1", "1");
    }

    private void assertRefused(String reason) {
        Answer refused = stock.create(sale);
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.text("message")).contains("shard " + SICK).contains(reason);
    }
}
