package io.seckill.order.booking;

/** What one row of the ledger is asked for: the units of some orders and their highest seq. */
record Units(String productId, int shard, long quantity, long seq) {

    static Units of(Order order) {
        return new Units(order.productId(), order.shard(), order.quantity(), order.seq());
    }

    /** Of the same row. */
    Units plus(Units more) {
        return new Units(productId, shard, quantity + more.quantity, Math.max(seq, more.seq));
    }
}
