package io.seckill.flashsale.attempt;

import io.seckill.contracts.Placement;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.QuantityStocks;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Which shards held no unit of a product a moment ago, so that a sold-out sale is not asked shard
 * by shard for each of its crowd.
 *
 * <p>A shard is empty for {@link #REMEMBERED_NS} from when it was asked and said so, no longer, and
 * until somebody hears that a unit came back. It only spares asking: before anybody is told SOLD_OUT
 * all are asked for the user's mark, and say with it whether they are empty still. Nobody is told a reservation of theirs away: what a user holds is always asked.
 */
@Component
final class Empties {

    static final long REMEMBERED_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final PerShard askedAtNs;

    @Autowired
    Empties(SaleCache sales, QuantityStocks shards) {
        this(sales::products, shards.all().size());
    }

    Empties(Supplier<? extends Collection<String>> onSale, int shards) {
        askedAtNs = new PerShard(onSale, shards);
    }

    /** What a shard said that was asked then, by {@link Guests#now}. */
    void heard(String productId, int shard, boolean isEmpty, long nowNs) {
        if (isEmpty) {
            askedAtNs.set(productId, shard, nowNs);
        } else if (askedAtNs.get(productId, shard) != 0) {
            askedAtNs.set(productId, shard, 0);
        }
    }

    boolean has(Placement placement, String productId, long nowNs) {
        long atNs = askedAtNs.get(productId, placement.shard());
        return placement.state() == Placement.State.RETIRED
                || (placement.state() == Placement.State.OPEN
                        && atNs != 0
                        && nowNs - atNs < REMEMBERED_NS);
    }

    boolean hasAll(List<Placement> ring, String productId, long nowNs) {
        for (Placement placement : ring) {
            if (!has(placement, productId, nowNs)) {
                return false;
            }
        }
        return true;
    }
}
