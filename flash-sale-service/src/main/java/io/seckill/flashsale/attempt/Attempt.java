package io.seckill.flashsale.attempt;

import io.seckill.contracts.Refusal;

/**
 * What became of a try to buy.
 *
 * @param refusal null when accepted
 * @param reservationId the one made, or with ALREADY_BOUGHT the one held; else null
 * @param nothingLeft every shard of the sale said that it holds no unit
 */
public record Attempt(Refusal refusal, String reservationId, boolean nothingLeft) {

    static final Attempt BUSY = new Attempt(Refusal.BUSY, null, false);

    static Attempt accepted(String reservationId) {
        return new Attempt(null, reservationId, false);
    }

    static Attempt alreadyBought(String reservationId) {
        return new Attempt(Refusal.ALREADY_BOUGHT, reservationId, false);
    }

    static Attempt soldOut(boolean nothingLeft) {
        return new Attempt(Refusal.SOLD_OUT, null, nothingLeft);
    }
}
