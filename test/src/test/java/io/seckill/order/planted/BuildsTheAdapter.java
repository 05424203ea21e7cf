package io.seckill.order.planted;

import io.seckill.rocketmq.planted.Adapter;

/** Breaks the rule that only the adapter's own module knows the adapter. */
public final class BuildsTheAdapter {
    Adapter adapter = new Adapter();
}
