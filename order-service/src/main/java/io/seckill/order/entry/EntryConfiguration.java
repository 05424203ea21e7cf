package io.seckill.order.entry;

import io.seckill.common.CommonProperties;
import io.seckill.common.mq.MessageConsumer;
import io.seckill.contracts.Reservation;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The consumer of reservations. */
@Configuration(proxyBeanMethods = false)
class EntryConfiguration {

    private static final int CONSUMER_THREADS = 2;

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
