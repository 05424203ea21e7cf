package io.seckill.order.booking;

import io.seckill.contracts.Reservation;
import io.seckill.order.relay.Outbox;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * The end of a reservation that has failed again and again: parked, and in the same transaction
 * rejected, so that its buyer is told and its units are sold again. It is counted as parked.
 *
 * <p>A rejection is final, also for whoever sends the parked message again. So only what is wrong
 * with the message itself is rejected: not what has a row, and not what failed for a reason that
 * may pass. That is parked alone; its shard holds its units, and the reconciler has it told again.
 * A rejection writes the same tables as an order: what keeps the database from all orders keeps it
 * from rejecting, too. Then, and where its sale or its shard is unknown, it is parked alone as
 * well.
 */
@Component
public final class GivingUp {

    private static final Logger LOG = LoggerFactory.getLogger(GivingUp.class);

    private final OfferMapper offers;
    private final OrderSn orderSn;
    private final OrderRate rate;
    private final OrderWriter writer;
    private final Outbox outbox;
    private final Parking parking;
    private final BookingService booking;

    GivingUp(
            OfferMapper offers,
            OrderSn orderSn,
            OrderRate rate,
            OrderWriter writer,
            Outbox outbox,
            Parking parking,
            BookingService booking) {
        this.offers = offers;
        this.orderSn = orderSn;
        this.rate = rate;
        this.writer = writer;
        this.outbox = outbox;
        this.parking = parking;
        this.booking = booking;
    }

    /** Parked afterwards; throws when even that fails. */
    public void giveUp(
            Reservation message, String topic, String messageId, String body, Throwable failure) {
        String why = failure.toString();
        if (!mayPass(failure)) {
            try {
                reject(message, () -> parking.keep(topic, messageId, body, why));
            } catch (RuntimeException e) {
                LOG.error(
                        "reservation {} cannot even be rejected: {}",
                        message.reservationId(),
                        e.toString());
            }
        }
        booking.park(topic, messageId, body, why);
    }

    private void reject(Reservation message, Runnable keeping) {
        String place = Offer.place(message.productId(), message.shard());
        offers.of(Set.of(message.productId())).stream()
                .filter(offer -> offer.place().equals(place))
                .findFirst()
                .map(offer -> Order.unpaid(
                        orderSn.next(message.userId()),
                        message,
                        offer,
                        rate.tryTake(0).atMs()))
                .ifPresent(order -> {
                    writer.reject(order, keeping);
                    outbox.nudge();
                });
    }

    /** Another transaction in the way, no connection, no order number; or this process itself. */
    private static boolean mayPass(Throwable failure) {
        return failure instanceof Error
                || failure instanceof TransientDataAccessException
                || failure instanceof RecoverableDataAccessException
                || failure instanceof NonTransientDataAccessResourceException
                || failure instanceof TransactionException
                || Transactions.isVictim(failure);
    }
}
