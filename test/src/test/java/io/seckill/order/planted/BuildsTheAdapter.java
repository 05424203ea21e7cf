package io.seckill.order.planted;

import io.seckill.rocketmq.planted.Adapter;

/** Breaks: a service makes the adapter instead of taking the port. */
final class BuildsTheAdapter {

    final Adapter adapter = new Adapter();
}
