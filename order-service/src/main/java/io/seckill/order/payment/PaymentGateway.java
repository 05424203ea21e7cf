package io.seckill.order.payment;

/**
 * Whoever takes the money: the place of a real gateway. The README of order-service is its
 * contract.
 */
@FunctionalInterface
public interface PaymentGateway {

    /**
     * Begins a charge; the same one again changes nothing. How it ended comes as a {@link
     * PaymentReport}, before this returns or later. Throws when the gateway is away: then nobody
     * knows, and the buyer who asks again brings the same charge again.
     */
    void charge(Charge charge);
}
