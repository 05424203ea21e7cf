package io.seckill.order.booking;

import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code orders}: what a reservation became. Every reservation has one row, for good.
 *
 * @param finalEpoch the ledger's when the order became final; null while it is live
 */
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
        @Nullable Long closedAtMs,
        @Nullable Integer finalEpoch) {

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
                null,
                null);
    }

    /** The message it was made of. */
    Reservation reservation() {
        return new Reservation(
                reservationId, productId, userId, quantity, shard, epoch, seq, reservedAtMs);
    }

    /** Before it is written; also one that was to be rejected otherwise. */
    Order rejected(Reason why, int ledgerEpoch) {
        return ended(Status.REJECTED, why, createdAtMs, ledgerEpoch);
    }

    public Order cancelled(Reason why, long nowMs, int ledgerEpoch) {
        return ended(Status.CANCELLED, why, nowMs, ledgerEpoch);
    }

    private Order ended(Status ended, Reason why, long nowMs, int ledgerEpoch) {
        if (status != Status.UNPAID && (status != Status.REJECTED || ended != status)) {
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
                nowMs,
                ledgerEpoch);
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

    /** The message that gives the units back; empty: they are not owed. */
    public Optional<StockReturn> stockReturn() {
        if (reason == null || reason.action() == null || finalEpoch == null) {
            return Optional.empty();
        }
        return Optional.of(new StockReturn(
                reservationId,
                productId,
                userId,
                quantity,
                shard,
                finalEpoch,
                reason.action(),
                reason.name()));
    }
}
