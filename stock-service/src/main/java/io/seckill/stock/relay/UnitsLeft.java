package io.seckill.stock.relay;

import io.seckill.contracts.Placement;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.sale.Sale;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import redis.clients.jedis.exceptions.JedisDataException;

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
     * Units that buyers may take.
     *
     * @param isComplete all shards of the sale are open and answered, so that 0 units means sold out
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
            OptionalLong left = ask(placement, sale);
            units += left.orElse(0);
            isComplete &= left.isPresent();
        }
        return new Count(units, isComplete);
    }

    /**
     * Units of another epoch are not this sale's; what a recovering shard has, or one whose gate is
     * closed, is not known before it is open.
     */
    private OptionalLong ask(Placement placement, Sale sale) {
        if (placement.state() == Placement.State.RECOVERING || away.contains(placement.shard())) {
            return OptionalLong.empty();
        }
        try {
            return sale.shard(placement, shards).left(sale.productId(), placement.epoch());
        } catch (ShardDownException | ShardUnknownException e) {
            if (!(e.getCause() instanceof JedisDataException)) { // else it spoke of this sale alone
                away.add(placement.shard());
            }
            return OptionalLong.empty();
        }
    }
}
