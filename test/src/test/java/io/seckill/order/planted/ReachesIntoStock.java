package io.seckill.order.planted;

import io.seckill.stock.planted.Inside;

/** Breaks the rule on purpose, so that ArchitectureTest can show it is able to fail. */
public final class ReachesIntoStock {

    public Inside stolen() {
        return new Inside();
    }
}
