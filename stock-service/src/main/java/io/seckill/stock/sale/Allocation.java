package io.seckill.stock.sale;

/** What one shard was given of a product: a row of {@code shard_ledger}. */
public record Allocation(String productId, int shard, long allocated, long sold, Long loadedAtMs) {

    public boolean isLoaded() {
        return loadedAtMs != null;
    }
}
