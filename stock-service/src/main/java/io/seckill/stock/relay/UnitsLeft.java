package io.seckill.stock.relay;

import io.seckill.contracts.Placement;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.StockCount;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.sale.Sale;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Counts units left, for one round over all sales. A shard that did not answer is not asked again
 * in the same round, so that a silent shard costs one timeout and not one per sale.
 */
final class UnitsLeft {

    private final QuantityStocks shards;
    private final Set<Integer> away = new HashSet<>();

    UnitsLeft(QuantityStocks shards) {
        this.shards = shards;
    }

    /**
     * Units in the shards that answered.
     *
     * @param isComplete all shards of the sale answered, so that 0 units means sold out
     */
    record Count(long units, boolean isComplete) {

        boolean isSoldOut() {
            return isComplete && units <= 0;
        }
    }

    Count of(Sale sale) {
        long units = 0;
        boolean isComplete = true;
        for (Placement placement : sale.placements()) {
            if (placement.state() == Placement.State.RETIRED) {
                continue;
            }
            Optional<StockCount> stock = ask(placement, sale);
            units += stock.map(StockCount::available).orElse(0L);
            isComplete &= stock.isPresent();
        }
        return new Count(units, isComplete);
    }

    /** Units of another epoch are not this sale's, and those of a recovering shard not known. */
    private Optional<StockCount> ask(Placement placement, Sale sale) {
        if (placement.state() == Placement.State.RECOVERING || away.contains(placement.shard())) {
            return Optional.empty();
        }
        try {
            return sale.shard(placement, shards)
                    .count(sale.productId())
                    .filter(stock -> stock.epoch() == placement.epoch());
        } catch (ShardDownException | ShardUnknownException e) {
            away.add(placement.shard());
            return Optional.empty();
        }
    }
}
