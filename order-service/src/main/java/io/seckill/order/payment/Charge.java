package io.seckill.order.payment;

/**
 * What the gateway is to take from a buyer: a row of {@code charge} that it has not answered yet.
 *
 * @param nonce 32 hex digits that name the charge; no other has the same
 */
public record Charge(String orderSn, String nonce, long amountCents) {}
