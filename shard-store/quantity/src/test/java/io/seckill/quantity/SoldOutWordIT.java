package io.seckill.quantity;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.RedisKeys;
import io.seckill.testkit.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;

class SoldOutWordIT {

    private static final String PRODUCT = "518";
    private static final String SALE = RedisKeys.sale(PRODUCT);

    private static RedisProcess redis;
    private static RedisClient client;
    private static Jedis jedis;
    private static SoldOutWord word;

    @BeforeAll
    static void start() {
        redis = new RedisProcess();
        jedis = redis.connect();
        client = RedisClient.create(redis.uri());
        word = new SoldOutWord(client);
    }

    @AfterAll
    static void stop() {
        jedis.close();
        client.close();
        redis.close();
    }

    @BeforeEach
    void open() {
        jedis.flushAll();
        jedis.hset(SALE, "sold_out", "0");
    }

    @Test
    void sold_out_is_said_once_and_the_edges_hear_of_the_change() {
        String version = word.version(PRODUCT);

        assertThat(word.soldOut(PRODUCT, version)).isTrue();
        assertThat(word.soldOut(PRODUCT, version)).isTrue();

        assertThat(jedis.hget(SALE, "sold_out")).isEqualTo("1");
        assertThat(changes()).isEqualTo(1);
    }

    @Test
    void late_word_closes_nothing_when_units_came_since_the_shards_were_asked() {
        String version = word.version(PRODUCT);
        word.unitsBack(PRODUCT);

        assertThat(word.soldOut(PRODUCT, version)).isFalse();

        assertThat(jedis.hget(SALE, "sold_out")).isEqualTo("0");
        assertThat(changes()).isEqualTo(1);
    }

    @Test
    void units_take_the_word_back_and_those_who_ask_after_that_may_say_it_again() {
        word.soldOut(PRODUCT, word.version(PRODUCT));
        word.unitsBack(PRODUCT);

        assertThat(jedis.hget(SALE, "sold_out")).isEqualTo("0");
        assertThat(word.soldOut(PRODUCT, word.version(PRODUCT))).isTrue();
    }

    @Test
    void sale_that_is_not_there_is_not_made() {
        jedis.flushAll();

        assertThat(word.soldOut(PRODUCT, word.version(PRODUCT))).isFalse();
        word.unitsBack(PRODUCT);

        assertThat(jedis.dbSize()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "x", "999999999999999"})
    void damaged_version_is_made_new_by_the_next_units(String damaged) {
        jedis.hset(SALE, RedisKeys.STOCK_VERSION, damaged);
        String version = word.version(PRODUCT);

        word.unitsBack(PRODUCT);

        assertThat(word.version(PRODUCT)).isEqualTo("1");
        assertThat(word.soldOut(PRODUCT, version)).isFalse();
    }

    @Test
    void removed_sale_stays_in_no_list() {
        jedis.hset(RedisKeys.sale("519"), "sold_out", "0");
        word.unitsBack(PRODUCT);
        word.unitsBack("519");
        word.unitsBack(PRODUCT);

        word.forget(PRODUCT);

        assertThat(jedis.xrange(RedisKeys.SALE_CHANGES, "-", "+"))
                .hasSize(1)
                .allSatisfy(change -> assertThat(change.getFields()).containsValue("519"));
    }

    @Test
    void list_of_changes_is_bounded() {
        for (int i = 0; i < 3_000; i++) {
            word.unitsBack(PRODUCT);
        }
        assertThat(changes()).isBetween(1_000L, 1_500L);
        assertThat(word.version(PRODUCT)).isEqualTo("3000");
    }

    private static long changes() {
        return jedis.xlen(RedisKeys.SALE_CHANGES);
    }
}
