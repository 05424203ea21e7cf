package io.seckill.quantity;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.shard.Shard;
import io.seckill.testkit.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import redis.clients.jedis.Jedis;

/** A shard that is empty before each test, and a plain connection to look behind the scripts. */
abstract class OneShard {

    static Shard node;
    static QuantityStock shard;
    static Jedis jedis;
    private static RedisProcess redis;

    @BeforeAll
    static void start() {
        redis = new RedisProcess();
        jedis = redis.connect();
        node = new Shard(0, RedisEndpoint.of("test", redis.uri()), Duration.ofSeconds(5));
        shard = new QuantityStock(node);
    }

    @AfterAll
    static void stop() {
        node.close();
        jedis.close();
        redis.close();
    }

    @BeforeEach
    void empty() {
        jedis.flushAll();
    }
}
