package io.seckill.order.booking;

import io.seckill.common.Counters;
import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Keeps messages that can become no order for a human, each once, and counts them. */
@Component
final class Parking {

    private static final Logger LOG = LoggerFactory.getLogger(Parking.class);

    private final ParkedMapper parked;
    private final Counters counters;
    private final Clock clock;

    Parking(ParkedMapper parked, Counters counters, Clock clock) {
        this.parked = parked;
        this.counters = counters;
        this.clock = clock;
    }

    /** Throws when the database is away. */
    void checkReady() {
        parked.ping();
    }

    void park(Reservation message, String reason) {
        park(Reservation.TOPIC, message.reservationId(), Json.write(message), reason);
    }

    void park(String topic, String messageId, String body, String reason) {
        keep(topic, messageId, body, reason);
        counters.count("seckill_parked_total");
    }

    /** As {@link #park}, not counted. Joins the caller's transaction. */
    void keep(String topic, String messageId, String body, String reason) {
        if (parked.insert(topic, messageId, body, reason, clock.millis())) {
            LOG.warn("parked message {} of {}: see the table parked_message", messageId, topic);
        }
    }
}
