package io.seckill.order;

import io.seckill.common.CommonProperties;
import io.seckill.common.Loop;
import io.seckill.common.mq.MessageConsumer;
import io.seckill.contracts.Reservation;
import java.time.Clock;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;
import redis.clients.jedis.RedisClient;

/** Puts the hop together: two loops, the consumer and what they share. */
@Configuration(proxyBeanMethods = false)
class OrderConfiguration {

    private static final int CONSUMER_THREADS = 2;
    private static final Duration RELAY_IDLE = Duration.ofMillis(500);
    private static final Duration SWEEP_IDLE = Duration.ofSeconds(1);

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
        return new Loop("outbox-relay", RELAY_IDLE, outbox::relay);
    }

    @Bean
    Loop unpaidLoop(Closing closing) {
        return new Loop("unpaid-sweep", SWEEP_IDLE, closing::sweep);
    }

    @Bean
    MessageConsumer<Reservation> reservationConsumer(CommonProperties properties, OrderBook book) {
        return new MessageConsumer<>(
                Reservation.GROUP,
                properties.namesrv(),
                Reservation.TOPIC,
                Reservation.class,
                book,
                CONSUMER_THREADS);
    }
}
