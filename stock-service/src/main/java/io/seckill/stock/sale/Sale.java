package io.seckill.stock.sale;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.shard.Shard;
import io.seckill.shard.Shards;

import java.util.List;

/** A product offered between start and end: a row of {@code sale}. Only its state ever changes. */
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
        int shardCount,
        int epoch,
        State state,
        long createdAtMs) {

    /** PREPARING until every shard has confirmed its allocation; nothing sells before OPEN. */
    public enum State {
        PREPARING,
        OPEN
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** The shards that hold its units, in the order of their numbers. */
    public List<Shard> over(Shards shards) {
        if (shardCount > shards.all().size()) {
            throw new RefusedException(
                    Refusal.BUSY,
                    "the sale of " + productId + " lies over " + shardCount
                            + " shards, but seckill.shards names "
                            + shards.all().size());
        }
        return shards.all().subList(0, shardCount);
    }
}
