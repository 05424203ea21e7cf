package io.seckill.order.booking;

import io.seckill.contracts.Reservation;

import java.util.List;

/**
 * What this service reads of a row of {@code sale}: the server's word against the message's.
 *
 * @param shards numbers of the shards that its ledger names, separated by commas
 */
record Sale(String productId, long priceCents, int perUserLimit, int payWithinS, String shards) {

    long payWithinMs() {
        return payWithinS * 1_000L;
    }

    /** Why no shard of this sale can have made the reservation; null when one can. */
    static String objection(Sale sale, Reservation reservation) {
        if (sale == null) {
            return "no sale of product " + reservation.productId();
        }
        if (!List.of(sale.shards.split(",")).contains(Integer.toString(reservation.shard()))) {
            return "shard " + reservation.shard() + ", the sale has " + sale.shards;
        }
        if (reservation.quantity() > sale.perUserLimit) {
            return "quantity " + reservation.quantity() + ", the limit is " + sale.perUserLimit;
        }
        return null;
    }
}
