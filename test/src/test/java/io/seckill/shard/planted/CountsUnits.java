package io.seckill.shard.planted;

import io.seckill.quantity.planted.Units;

/** Breaks the rule that the client of a shard knows no quantity, to show that it can fail. */
public final class CountsUnits {

    Units units;
}
