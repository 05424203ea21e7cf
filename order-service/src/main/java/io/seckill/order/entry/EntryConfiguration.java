package io.seckill.order.entry;

import io.seckill.common.CommonProperties;
import io.seckill.common.mq.MessageConsumer;
import io.seckill.contracts.Reservation;
import io.seckill.order.Pause;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import redis.clients.jedis.RedisClient;

/** The consumer of reservations and its pace. */
@Configuration(proxyBeanMethods = false)
class EntryConfiguration {

    private static final int CONSUMER_THREADS = 2;

    @Bean
    OrderRate orderRate(RedisClient controlRedis, Clock clock) {
        return new OrderRate(controlRedis, clock, Pause::sleep);
    }

    @Bean
    MessageConsumer<Reservation> reservationConsumer(
            CommonProperties properties, ReservationHandler handler) {
        return new MessageConsumer<>(
                Reservation.GROUP,
                properties.namesrv(),
                Reservation.TOPIC,
                Reservation.class,
                handler,
                CONSUMER_THREADS);
    }
}
