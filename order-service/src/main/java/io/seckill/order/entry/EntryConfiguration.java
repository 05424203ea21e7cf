package io.seckill.order.entry;

import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.Messaging;
import io.seckill.contracts.Reservation;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The consumer of reservations. */
@Configuration(proxyBeanMethods = false)
class EntryConfiguration {

    private static final int CONSUMER_THREADS = 2; // as many as LandingSpeed takes it for

    @Bean
    MessageConsumer reservationConsumer(Messaging messaging, ReservationHandler handler) {
        return messaging.consumer(
                Reservation.GROUP, Reservation.TOPIC, Reservation.class, handler, CONSUMER_THREADS);
    }
}
