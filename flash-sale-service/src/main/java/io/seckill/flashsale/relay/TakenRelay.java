package io.seckill.flashsale.relay;

import io.seckill.flashsale.attempt.TakenListener;
import io.seckill.quantity.Reserve;

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
    public void taken(int shard, Reserve wish, boolean isLast) {
        reservations.taken(shard, wish);
        if (isLast) {
            soldOut.mayBe(wish.productId());
        }
    }
}
