package io.seckill.contracts;

import org.jspecify.annotations.Nullable;

/** What became of a reservation, for the buyer who asks; topic {@code order_event}. */
public record OrderEvent(
        String reservationId,
        String productId,
        String userId,
        long reservedAtMs,
        Status status,
        String orderSn,
        long payByMs,
        @Nullable String reason) {

    public static final String TOPIC = "order_event";

    /** The consumer group that keeps them for the buyers. */
    public static final String GROUP = "flash-sale-service";

    /** In the order a client may see them: a later word is never followed by an earlier one. */
    public enum Status {
        ORDERED,
        REJECTED,
        CANCELLED
    }

    public OrderEvent {
        Check.that(Ids.isReservation(reservationId), "reservationId", reservationId);
        Check.that(Ids.isProduct(productId), "productId", productId);
        Check.that(Ids.isUser(userId), "userId", userId);
        Check.that(reservedAtMs > 0, "reservedAtMs", reservedAtMs);
        Check.that(status != null, "status", status);
        Check.that(Ids.isOrderSn(orderSn), "orderSn", orderSn);
        Check.that(payByMs >= 0, "payByMs", payByMs);
    }
}
