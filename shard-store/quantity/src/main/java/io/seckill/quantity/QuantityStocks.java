package io.seckill.quantity;

import io.seckill.shard.Shards;

import java.util.List;

/** The counted units in all shards, in the order of their numbers. */
public final class QuantityStocks {

    private final Shards shards;
    private final List<QuantityStock> stocks;

    public QuantityStocks(Shards shards) {
        this.shards = shards;
        stocks = shards.all().stream().map(QuantityStock::new).toList();
    }

    public List<QuantityStock> all() {
        return stocks;
    }

    /** Throws when a sale names a shard that is not configured here. */
    public QuantityStock get(int index) {
        return stocks.get(shards.get(index).index());
    }
}
