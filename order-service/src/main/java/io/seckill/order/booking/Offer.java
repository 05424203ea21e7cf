package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;

import io.seckill.contracts.Reservation;
import java.util.Map;

/**
 * What a shard may sell of a product, on which terms and in which epoch of its ledger: the server's
 * word, not the message's.
 */
record Offer(
        String productId, int shard, int epoch, long priceCents, int perUserLimit, int payWithinS) {

    /** Tells offers apart. */
    static String place(String productId, int shard) {
        return productId + " in shard " + shard;
    }

    /** Of a reservation that was not parked. */
    static Offer of(Reservation one, Map<String, Offer> known) {
        return requireNonNull(
                known.get(place(one.productId(), one.shard())), "what has no offer was parked");
    }

    String place() {
        return place(productId, shard);
    }

    long payWithinMs() {
        return payWithinS * 1_000L;
    }
}
