package io.seckill.order.booking;

import io.seckill.contracts.Reservation;

/** What this service reads of a row of {@code sale}: the server's word against the message's. */
record Sale(
        String productId,
        long priceCents,
        int perUserLimit,
        int payWithinS,
        int shardCount,
        int epoch) {

    long payWithinMs() {
        return payWithinS * 1_000L;
    }

    /** Why no shard of this sale can have made the reservation; null when one can. */
    static String objection(Sale sale, Reservation reservation) {
        if (sale == null) {
            return "no sale of product " + reservation.productId();
        }
        if (reservation.epoch() != sale.epoch) {
            return "epoch " + reservation.epoch() + ", the sale's is " + sale.epoch;
        }
        if (reservation.shard() >= sale.shardCount) {
            return "shard " + reservation.shard() + ", the sale has " + sale.shardCount;
        }
        if (reservation.quantity() > sale.perUserLimit) {
            return "quantity " + reservation.quantity() + ", the limit is " + sale.perUserLimit;
        }
        return null;
    }
}
