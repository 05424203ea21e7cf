package io.seckill.order.booking;

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

    String place() {
        return place(productId, shard);
    }

    long payWithinMs() {
        return payWithinS * 1_000L;
    }
}
