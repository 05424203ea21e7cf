package io.seckill.stock.planted;

/** Inside a service: no other service and no shared module may reach it. */
public final class Inside {}
