package io.seckill.order.entry;

import io.seckill.common.message.MessageHandler;
import io.seckill.contracts.Reservation;
import io.seckill.order.booking.BookingService;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Takes {@code flash_sale_success_inform}: what each became is on disk before it is acknowledged.
 */
@Component
final class ReservationHandler implements MessageHandler<Reservation> {

    private final BookingService booking;

    ReservationHandler(BookingService booking) {
        this.booking = booking;
    }

    /** Throws only when the database is away or the service stops; the messages then come again. */
    @Override
    public void handle(List<Reservation> messages) {
        booking.settle(messages);
    }

    /** What no reservation can be read from. */
    @Override
    public void park(String topic, String messageId, String body, String reason) {
        booking.park(topic, messageId, body, reason);
    }
}
