package io.seckill.rocketmq.planted;

/** Stands for a class of the adapter. */
public final class Adapter {}
