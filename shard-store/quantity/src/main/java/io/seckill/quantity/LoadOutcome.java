package io.seckill.quantity;

/** What a shard answered to its part of a product's units; load.lua says what each means. */
public enum LoadOutcome {
    LOADED,
    ALREADY_LOADED,
    OTHER_EPOCH
}
