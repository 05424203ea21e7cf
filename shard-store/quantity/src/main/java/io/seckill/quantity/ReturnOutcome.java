package io.seckill.quantity;

/** What a shard answered to a return or a burn; give_back.lua says what each means. */
public enum ReturnOutcome {
    RETURNED,
    BURNED,
    TOMBSTONED,
    ALREADY_DONE,
    OTHER_EPOCH,
    NOT_LOADED
}
