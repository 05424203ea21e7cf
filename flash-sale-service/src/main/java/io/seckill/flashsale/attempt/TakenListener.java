package io.seckill.flashsale.attempt;

/** Told of each reservation this process has taken; never blocks and never fails. */
@FunctionalInterface
public interface TakenListener {

    void taken(int shard, String productId);
}
