package io.seckill.order.entry;

import io.seckill.common.CrashAt;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.Messaging;
import io.seckill.contracts.LiveKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.ReservationSigner;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The consumer of reservations, and the keys with which they are signed. */
@Configuration(proxyBeanMethods = false)
class EntryConfiguration {

    private static final int CONSUMER_THREADS = 2; // as many as LandingSpeed takes it for

    /** Before any message comes. */
    EntryConfiguration(EntryProperties properties) {
        CrashAt.set("seckill.crash-at", properties.crashAt());
    }

    @Bean
    ReservationSigner reservationSigner(EntryProperties properties, Clock clock) {
        return new ReservationSigner(new LiveKeys(
                "seckill.reservation-keys", Path.of(properties.reservationKeys()), clock));
    }

    @Bean
    MessageConsumer reservationConsumer(Messaging messaging, ReservationHandler handler) {
        return messaging.consumer(
                Reservation.GROUP, Reservation.TOPIC, Reservation.class, handler, CONSUMER_THREADS);
    }
}
