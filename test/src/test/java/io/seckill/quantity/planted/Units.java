package io.seckill.quantity.planted;

/** Stands for the quantity stock in the planted breach. */
public final class Units {}
