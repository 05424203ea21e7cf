package io.seckill.order;

/** A row of {@code payment}. */
record Payment(String orderSn, long amountCents, long paidAtMs) {}
