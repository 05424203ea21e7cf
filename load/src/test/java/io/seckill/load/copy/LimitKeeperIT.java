package io.seckill.load.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.testkit.RedisProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class LimitKeeperIT {

    private static final String PRODUCT = "518";

    private final RedisProcess redis = new RedisProcess();
    private final Jedis operator = redis.connect();
    private final PrintStream stderr = System.err;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private LimitKeeper limits;

    @BeforeEach
    void start() {
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        limits = new LimitKeeper(redis.uri());
    }

    @AfterEach
    void stop() {
        limits.close();
        System.setErr(stderr);
        operator.close();
        redis.close();
    }

    @Test
    void value_and_absence_are_put_back() {
        write(Limits.GLOBAL_QPS, "700");
        limits.putGlobal(Limits.GLOBAL_QPS, 800);
        limits.putGlobal(Limits.GLOBAL_QPS, 900);
        limits.putGlobal(Limits.ORDER_RATE_PER_SECOND, 1_000);
        limits.putOfProduct(PRODUCT, Limits.PRODUCT_QPS, 5);
        assertThat(limits.global(Limits.GLOBAL_QPS)).isEqualTo(900);
        assertThat(limits.ofProduct(PRODUCT, Limits.PRODUCT_QPS)).isEqualTo(5);
        assertThat(limits.inForce())
                .containsEntry(Limits.GLOBAL_QPS, "900")
                .containsEntry(Limits.PRODUCT_QPS, "5")
                .containsEntry(Limits.QUOTA_PERCENT, "" + Limits.initial(Limits.QUOTA_PERCENT));
        assertThat(limits.putBack()).isTrue();
        assertThat(operator.hgetAll(RedisKeys.LIMITS)).isEqualTo(Map.of(Limits.GLOBAL_QPS, "700"));
        assertThat(operator.exists(RedisKeys.productLimits(PRODUCT))).isFalse();
        assertThat(limits.words()).isEqualTo("the limits are as they were");
        assertThat(said.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void value_of_an_operator_who_came_meanwhile_stays_and_is_said() {
        limits.putGlobal(Limits.GLOBAL_QPS, 800);
        limits.putGlobal(Limits.ORDER_RATE_PER_SECOND, 900);
        write(Limits.GLOBAL_QPS, "7");
        assertThat(limits.putBack()).isTrue();
        assertThat(operator.hgetAll(RedisKeys.LIMITS)).isEqualTo(Map.of(Limits.GLOBAL_QPS, "7"));
        assertThat(limits.words())
                .isEqualTo("the limits are as they were, but for what was" + " changed meanwhile: "
                        + Limits.GLOBAL_QPS);
    }

    @Test
    void nothing_is_put_any_more_once_all_was_put_back() {
        limits.putBack();
        assertThatThrownBy(() -> limits.putGlobal(Limits.GLOBAL_QPS, 800))
                .hasMessage("the limits were put back meanwhile");
        assertThat(operator.exists(RedisKeys.LIMITS)).isFalse();
    }

    @Test
    void value_that_no_hop_would_take_is_refused_before_it_is_written() {
        assertThatThrownBy(() -> limits.putGlobal(Limits.GLOBAL_QPS, -1))
                .hasMessageContaining("cannot be -1");
        assertThat(operator.exists(RedisKeys.LIMITS)).isFalse();
    }

    @Test
    void commands_are_said_when_control_Redis_is_away() {
        limits.putGlobal(Limits.GLOBAL_QPS, 800);
        limits.putOfProduct(PRODUCT, Limits.PRODUCT_QPS, 5);
        redis.kill();
        limits.close();
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("limits of this run are left")
                .contains("./seckill limits set " + Limits.GLOBAL_QPS + " "
                        + Limits.initial(Limits.GLOBAL_QPS))
                .doesNotContain("limits product");
    }

    @Test
    void commands_are_said_and_the_rest_is_put_back_when_control_Redis_is_exhausted() {
        write(Limits.GLOBAL_QPS, "700");
        operator.hset(RedisKeys.productLimits(PRODUCT), Limits.PRODUCT_QPS, "40");
        limits.putGlobal(Limits.ORDER_RATE_PER_SECOND, 900);
        limits.putGlobal(Limits.GLOBAL_QPS, 800);
        limits.putOfProduct(PRODUCT, Limits.PRODUCT_QPS, 50);
        operator.configSet("maxmemory", "1");
        assertThat(limits.putBack()).isFalse();
        assertThat(operator.hgetAll(RedisKeys.LIMITS)).isEqualTo(Map.of(Limits.GLOBAL_QPS, "800"));
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("./seckill limits set " + Limits.GLOBAL_QPS + " 700;"
                        + " ./seckill limits product " + PRODUCT + " " + Limits.PRODUCT_QPS
                        + " 40");
    }

    private void write(String key, String value) {
        operator.hset(RedisKeys.LIMITS, key, value);
    }
}
