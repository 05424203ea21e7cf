package io.seckill.flashsale.relay;

import io.seckill.flashsale.attempt.TakenListener;

import org.springframework.stereotype.Component;

/** Tells of each reservation those who have something to do about it. */
@Component
final class TakenRelay implements TakenListener {

    private final ReservationRelay reservations;
    private final SoldOutRelay soldOut;

    TakenRelay(ReservationRelay reservations, SoldOutRelay soldOut) {
        this.reservations = reservations;
        this.soldOut = soldOut;
    }

    @Override
    public void taken(int shard, String productId, boolean isLast) {
        reservations.taken(shard, productId);
        if (isLast) {
            soldOut.mayBe(productId);
        }
    }
}
