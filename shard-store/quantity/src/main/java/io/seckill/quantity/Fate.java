package io.seckill.quantity;

/** What became of a {@link Reserve} whose answer was lost; fate.lua says what each means. */
public enum Fate {
    TAKEN,
    NOTHING,
    OPEN,
    GATED
}
