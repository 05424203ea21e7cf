package io.seckill.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.CommonAutoConfiguration;
import io.seckill.contracts.RedisKeys;
import io.seckill.testkit.RedisProcess;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** The client of the control Redis that every service has, against a guarded Redis. */
class ControlRedisIT {

    @Test
    void user_and_password_of_the_endpoint_open_a_guarded_redis() {
        try (RedisProcess redis = new RedisProcess();
                Jedis root = redis.connect()) {
            root.aclSetUser("seckill", "on", ">p@ss word", "~seckill:*", "+@all");
            root.aclSetUser("default", "off");
            String guarded = "redis://seckill:%s@" + redis.address();

            with(guarded.formatted("p%40ss%20word"), client -> {
                assertThat(client.set(RedisKeys.LIMITS, "x")).isEqualTo("OK");
                assertThatThrownBy(() -> client.get("other")).hasMessageContaining("NOPERM");
            });
            with(
                    guarded.formatted("hunter2"),
                    client -> assertThatThrownBy(client::ping)
                            .isInstanceOf(JedisException.class)
                            .hasMessageNotContaining("hunter2"));
            root.aclSetUser("default", "on");
        }
    }

    @Test
    void tls_is_never_given_up_for_a_redis_that_has_none() {
        try (RedisProcess redis = new RedisProcess()) {
            with(
                    "redis://" + redis.address(),
                    client -> assertThat(client.ping()).isEqualTo("PONG"));
            with(
                    "rediss://" + redis.address(),
                    client -> assertThatThrownBy(client::ping).isInstanceOf(JedisException.class));
        }
    }

    private static void with(String endpoint, Consumer<RedisClient> check) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(CommonAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues(
                        "spring.application.name=order-service",
                        "seckill.control-redis=" + endpoint)
                .run(context -> check.accept(context.getBean(RedisClient.class)));
    }
}
