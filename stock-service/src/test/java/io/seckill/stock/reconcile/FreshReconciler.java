package io.seckill.stock.reconcile;

import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.Stock;
import io.seckill.stock.recovery.Losses;
import java.time.Clock;
import redis.clients.jedis.RedisClient;

/** A reconciler as after a start: it has no place in a walk and remembers no finding. */
public final class FreshReconciler {

    private FreshReconciler() {}

    public static Reconciler of(Stock stock, QuantityStocks shards) {
        ReconcileMapper mapper = stock.bean(ReconcileMapper.class);
        Losses losses = stock.bean(Losses.class);
        Repairs repairs = stock.bean(Repairs.class);
        return new Reconciler(
                new HeldWalk(mapper, shards, losses, repairs),
                new OrderWalk(mapper, shards, losses, repairs),
                stock.bean(RedisClient.class),
                stock.bean(Clock.class));
    }
}
