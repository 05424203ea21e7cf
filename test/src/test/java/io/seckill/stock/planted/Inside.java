package io.seckill.stock.planted;

/** What {@code ReachesIntoStock} must not touch. */
public final class Inside {}
