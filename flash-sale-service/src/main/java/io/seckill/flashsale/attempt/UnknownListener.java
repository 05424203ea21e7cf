package io.seckill.flashsale.attempt;

import io.seckill.quantity.Reserve;

import java.util.concurrent.CompletableFuture;

/** Told of each attempt of this process whose outcome nobody knew at its deadline. */
@FunctionalInterface
public interface UnknownListener {

    /** True once it is written down and will be found out; false: it cannot be. Never blocks. */
    CompletableFuture<Boolean> unknown(int shard, Reserve wish);
}
