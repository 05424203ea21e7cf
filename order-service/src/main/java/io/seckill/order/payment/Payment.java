package io.seckill.order.payment;

/** A row of {@code payment}. */
public record Payment(String orderSn, long amountCents, long paidAtMs) {}
