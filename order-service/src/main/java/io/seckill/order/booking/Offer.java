package io.seckill.order.booking;

import io.seckill.contracts.Reservation;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a shard may sell of a product, and on which terms: the server's word, not the message's. */
record Offer(String productId, int shard, long priceCents, int perUserLimit, int payWithinS) {

    /** Tells offers apart. */
    static String place(String productId, int shard) {
        return productId + " in shard " + shard;
    }

    String place() {
        return place(productId, shard);
    }

    long payWithinMs() {
        return payWithinS * 1_000L;
    }

    /** Why no shard can have made the reservation under this offer, if any. */
    static Optional<String> objection(@Nullable Offer offer, Reservation reservation) {
        if (offer == null) {
            return Optional.of(
                    "no sale of product " + place(reservation.productId(), reservation.shard()));
        }
        if (reservation.quantity() > offer.perUserLimit) {
            return Optional.of(
                    "quantity " + reservation.quantity() + ", the limit is " + offer.perUserLimit);
        }
        return Optional.empty();
    }
}
