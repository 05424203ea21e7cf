package io.seckill.flashsale.attempt;

import io.seckill.quantity.QuantityStocks;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * How many attempts are on their way to each shard, those with an unknown outcome that are asked
 * about again included: at most {@link #MAX}, half of the connections this service takes. So a shard
 * that is slow, but not silent, cannot hold them all; who comes beyond goes on to the next.
 */
@Component
final class UnderWay {

    static final int MAX = 512;

    private final AtomicIntegerArray counts;

    @Autowired
    UnderWay(QuantityStocks shards) {
        this(shards.all().size());
    }

    UnderWay(int shards) {
        counts = new AtomicIntegerArray(shards);
    }

    /** One more; false, and none: there are as many as may be. */
    boolean enter(int shard) {
        if (counts.incrementAndGet(shard) <= MAX) {
            return true;
        }
        counts.decrementAndGet(shard);
        return false;
    }

    void leave(int shard) {
        counts.decrementAndGet(shard);
    }

    int count(int shard) {
        return counts.get(shard);
    }
}
