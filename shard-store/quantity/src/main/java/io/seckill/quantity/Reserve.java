package io.seckill.quantity;

import io.seckill.contracts.Ids;

/**
 * A wish to take units. The same id again is the same wish.
 *
 * @param isGuest the user's home is another shard
 * @param deadlineMs by the shard's clock; a command that arrives later takes nothing
 */
public record Reserve(
        String reservationId,
        String productId,
        String userId,
        int quantity,
        boolean isGuest,
        long deadlineMs) {

    /** Whatever does not fit would break the packed value in the shard. */
    public Reserve {
        if (!Ids.isReservation(reservationId)
                || !Ids.isProduct(productId)
                || !Ids.isUser(userId)
                || quantity < 1) {
            throw new IllegalArgumentException("not a reserve: " + reservationId + " of "
                    + productId + " for " + userId + ", quantity " + quantity);
        }
    }
}
