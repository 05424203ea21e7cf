package io.seckill.stock.limit;

import io.seckill.contracts.RedisKeys;

/**
 * One limit an operator may set: of a product, or of everybody where {@code productId} is empty.
 */
record Limit(String productId, String key) {

    static final String EVERYBODY = "";

    /** Where the control Redis has those of a product, or of everybody. */
    static String hash(String productId) {
        return productId.equals(EVERYBODY) ? RedisKeys.LIMITS : RedisKeys.productLimits(productId);
    }

    String hash() {
        return hash(productId);
    }

    @Override
    public String toString() {
        return productId.equals(EVERYBODY) ? key : key + " of product " + productId;
    }
}
