package io.seckill.stock.sale;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Placement;
import io.seckill.contracts.Refusal;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;

import java.util.List;

/**
 * A product offered between start and end: a row of {@code sale}. Only its state and the placements
 * of its units ever change, and its end when it is removed.
 *
 * @param synthetic made to measure: no buyer's list shows it, and it alone may be removed
 * @param placed the rows of its ledger as the text of {@link Placement}
 */
public record Sale(
        String productId,
        String name,
        long priceCents,
        long startAtMs,
        long endAtMs,
        int perUserLimit,
        String path,
        int payWithinS,
        long stockTotal,
        boolean synthetic,
        String placed,
        State state,
        long createdAtMs) {

    /**
     * PREPARING until every shard has confirmed its allocation, nothing sells before OPEN;
     * REMOVING: ended for good, its data goes.
     */
    public enum State {
        PREPARING,
        OPEN,
        REMOVING
    }

    boolean isPreparing() {
        return state == State.PREPARING;
    }

    public boolean isBeingRemoved() {
        return state == State.REMOVING;
    }

    /** The shards that hold its units, in the order of the ring. */
    public List<Placement> placements() {
        return Placement.parse(placed);
    }

    /** Those that may hold something still: a retired shard is not asked any more. */
    public List<Placement> placementsInUse() {
        return placements().stream()
                .filter(placement -> placement.state() != Placement.State.RETIRED)
                .toList();
    }

    /** One of its shards; BUSY when this service does not know it. */
    public QuantityStock shard(Placement placement, QuantityStocks shards) {
        if (placement.shard() >= shards.all().size()) {
            throw new RefusedException(
                    Refusal.BUSY,
                    "the sale of " + productId + " lies on shard " + placement.shard()
                            + ", but seckill.shards names "
                            + shards.all().size());
        }
        return shards.get(placement.shard());
    }
}
