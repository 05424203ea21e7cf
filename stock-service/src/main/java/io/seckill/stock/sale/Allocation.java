package io.seckill.stock.sale;

import org.jspecify.annotations.Nullable;

/**
 * What one shard was given of a product: a row of {@code shard_ledger}.
 *
 * @param epoch which life of the product's units in the shard counts
 */
public record Allocation(
        String productId,
        int shard,
        long allocated,
        long sold,
        int epoch,
        @Nullable Long loadedAtMs) {

    public boolean isLoaded() {
        return loadedAtMs != null;
    }
}
