package io.seckill.flashsale.attempt;

import io.seckill.quantity.Reserve;

/** Told of each reservation this process has taken; never blocks and never fails. */
@FunctionalInterface
public interface TakenListener {

    /** isLast: of that shard, nothing is left there. */
    void taken(int shard, Reserve wish, boolean isLast);
}
