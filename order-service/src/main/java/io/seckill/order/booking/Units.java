package io.seckill.order.booking;

/**
 * What one row of the ledger is asked for in its epoch: the units of some orders, and the highest
 * seq of those that the shard has kept.
 */
record Units(String productId, int shard, int epoch, long quantity, long seq) {

    static Units of(Order order, int ledgerEpoch) {
        return new Units(
                order.productId(),
                order.shard(),
                ledgerEpoch,
                order.status() == Order.Status.UNPAID ? order.quantity() : 0,
                order.reason() == Reason.LOST ? 0 : order.seq());
    }

    /** Of the same row. */
    Units plus(Units more) {
        return new Units(
                productId, shard, epoch, quantity + more.quantity, Math.max(seq, more.seq));
    }
}
