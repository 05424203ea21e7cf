package io.seckill.rocketmq.planted;

/** Inside the adapter, which services must not build themselves. */
public final class Adapter {}
