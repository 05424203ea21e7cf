package io.seckill.contracts;

import org.jspecify.annotations.Nullable;

/**
 * A unit taken in a shard for a user; the body of {@code flash_sale_success_inform}.
 *
 * <p>The constructor refuses what no shard can have written, so that a forged or damaged message
 * fails when it is read and is parked, never half-processed.
 *
 * @param epoch the life of the product's units in the shard, as the shard stamped it
 * @param seq the shard's count of reserves of the product: no other reservation there has the same
 * @param signature of all other fields, by {@link ReservationSigner}; null until it is sent
 */
public record Reservation(
        String reservationId,
        String productId,
        String userId,
        int quantity,
        int shard,
        int epoch,
        long seq,
        long reservedAtMs,
        @Nullable String signature) {

    public static final String TOPIC = "flash_sale_success_inform";

    /** The consumer group that makes orders of them. */
    public static final String GROUP = "order-service";

    public Reservation {
        Check.that(Ids.isReservation(reservationId), "reservationId", reservationId);
        Check.that(Ids.isProduct(productId), "productId", productId);
        Check.that(Ids.isUser(userId), "userId", userId);
        Check.that(quantity > 0, "quantity", quantity);
        Placement.check(shard, epoch);
        Check.that(seq > 0, "seq", seq);
        Check.that(reservedAtMs > 0, "reservedAtMs", reservedAtMs);
    }

    /** As the shard has it. */
    public Reservation(
            String reservationId,
            String productId,
            String userId,
            int quantity,
            int shard,
            int epoch,
            long seq,
            long reservedAtMs) {
        this(reservationId, productId, userId, quantity, shard, epoch, seq, reservedAtMs, null);
    }

    Reservation signed(String by) {
        return new Reservation(
                reservationId, productId, userId, quantity, shard, epoch, seq, reservedAtMs, by);
    }
}
