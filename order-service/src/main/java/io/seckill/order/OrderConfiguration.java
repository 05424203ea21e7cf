package io.seckill.order;

import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;
import redis.clients.jedis.RedisClient;

/** Puts the hop together: two loops and what they share. */
@Configuration(proxyBeanMethods = false)
class OrderConfiguration {

    private static final long RELAY_IDLE_MS = 500;
    private static final long SWEEP_IDLE_MS = 1_000;

    @Bean
    OrderSn orderSn(OrderProperties properties, Clock clock) {
        return new OrderSn(properties.node(), clock);
    }

    @Bean
    OrderRate orderRate(RedisClient controlRedis, Clock clock) {
        return new OrderRate(controlRedis, clock, Pause::sleep);
    }

    @Bean
    Transactions transactions(TransactionTemplate template) {
        return new Transactions(template, Pause::sleep);
    }

    @Bean
    Loop outboxLoop(Outbox outbox) {
        return new Loop("outbox-relay", RELAY_IDLE_MS, outbox::relay);
    }

    @Bean
    Loop unpaidLoop(Closing closing) {
        return new Loop("unpaid-sweep", SWEEP_IDLE_MS, closing::sweep);
    }
}
