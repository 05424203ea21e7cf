package io.seckill.order.entry;

import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.Waiting;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.ReservationSigner;
import io.seckill.order.booking.BookingService;
import io.seckill.order.booking.GivingUp;
import java.time.Clock;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Takes {@code flash_sale_success_inform}: what each became is on disk before it is acknowledged.
 */
@Component
final class ReservationHandler implements MessageHandler<Reservation> {

    private final BookingService booking;
    private final GivingUp givingUp;
    private final ReservationSigner signer;
    private final Clock clock;

    ReservationHandler(
            BookingService booking, GivingUp givingUp, ReservationSigner signer, Clock clock) {
        this.booking = booking;
        this.givingUp = givingUp;
        this.signer = signer;
        this.clock = clock;
    }

    /** Only what the relay has signed was taken in a shard. */
    @Override
    public void check(Reservation message) {
        signer.check(message);
    }

    /** Throws when the database is away or the service stops; the messages then come again. */
    @Override
    public void handle(List<Reservation> messages) {
        long nowMs = clock.millis();
        handleWaiting(messages.stream().map(m -> new Waiting<>(m, nowMs)).toList());
    }

    @Override
    public void handleWaiting(List<Waiting<Reservation>> messages) {
        booking.settle(messages);
    }

    /** The pace needs the control Redis and goes on without it. */
    @Override
    public void checkReady() {
        booking.checkReady();
    }

    /** What no reservation can be read from, or the relay has not signed. */
    @Override
    public void park(String topic, String messageId, String body, String reason) {
        booking.park(topic, messageId, body, reason);
    }

    @Override
    public void giveUp(
            Reservation message, String topic, String messageId, String body, Throwable failure) {
        givingUp.giveUp(message, topic, messageId, body, failure);
    }
}
