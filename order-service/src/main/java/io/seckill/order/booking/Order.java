package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import org.jspecify.annotations.Nullable;

/** A row of {@code orders}: what a reservation became. Every reservation has one row, for good. */
public record Order(
        String orderSn,
        String reservationId,
        String productId,
        String userId,
        int shard,
        int epoch,
        long seq,
        int quantity,
        long priceCents,
        Status status,
        @Nullable Reason reason,
        long reservedAtMs,
        long createdAtMs,
        long payByMs,
        @Nullable Long closedAtMs) {

    /** UNPAID → PAID → REFUNDED, UNPAID → CANCELLED; REJECTED is final from birth. */
    public enum Status {
        UNPAID,
        PAID,
        REFUNDED,
        CANCELLED,
        REJECTED
    }

    /** A new order at the server's price, whatever the message says. */
    static Order unpaid(String orderSn, Reservation from, Offer offer, long nowMs) {
        return new Order(
                orderSn,
                from.reservationId(),
                from.productId(),
                from.userId(),
                from.shard(),
                from.epoch(),
                from.seq(),
                from.quantity(),
                offer.priceCents(),
                Status.UNPAID,
                null,
                from.reservedAtMs(),
                nowMs,
                nowMs + offer.payWithinMs(),
                null);
    }

    /** The message it was made of. */
    Reservation reservation() {
        return new Reservation(
                reservationId, productId, userId, quantity, shard, epoch, seq, reservedAtMs);
    }

    Order rejected(Reason why) {
        return ended(Status.REJECTED, why, createdAtMs);
    }

    public Order cancelled(Reason why, long nowMs) {
        return ended(Status.CANCELLED, why, nowMs);
    }

    private Order ended(Status ended, Reason why, long nowMs) {
        if (status != Status.UNPAID) {
            throw new IllegalStateException(orderSn + " is " + status + ", cannot be " + ended);
        }
        return new Order(
                orderSn,
                reservationId,
                productId,
                userId,
                shard,
                epoch,
                seq,
                quantity,
                priceCents,
                ended,
                why,
                reservedAtMs,
                createdAtMs,
                payByMs,
                nowMs);
    }

    /** What the buyer is told of the row as it is. */
    public OrderEvent event() {
        OrderEvent.Status told = switch (status) {
            case UNPAID, PAID -> OrderEvent.Status.ORDERED;
            case REFUNDED, CANCELLED -> OrderEvent.Status.CANCELLED;
            case REJECTED -> OrderEvent.Status.REJECTED;
        };
        return new OrderEvent(
                reservationId,
                productId,
                userId,
                reservedAtMs,
                told,
                orderSn,
                payByMs,
                reason == null ? null : reason.name());
    }

    /**
     * The message that gives the units back.
     *
     * @param ledgerEpoch the ledger's, read after the update that made this order final
     */
    public StockReturn stockReturn(int ledgerEpoch) {
        Reason why = requireNonNull(reason, "units go back only for a reason");
        return new StockReturn(
                reservationId,
                productId,
                userId,
                quantity,
                shard,
                ledgerEpoch,
                why.action(),
                why.name());
    }
}
