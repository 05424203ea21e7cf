package io.seckill.flashsale.attempt;

import io.seckill.contracts.Placement;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.QuantityStocks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * In which shards users may hold units of a product who are at home in another: guests.
 *
 * <p>The truth lies in each shard: the script that takes for a guest marks the stock for good, and
 * every answer of a shard says whether it is marked. So a restart of this service loses nothing,
 * and instances learn of each other's guests. A shard is free of guests for {@link #TRUSTED_NS}
 * from when it was asked and said so; a busy sale hears that all the time, and what nobody has
 * heard lately is "perhaps". Where this process has sent a guest itself it is "perhaps" for good,
 * before the guest is sent: an answer on its way meanwhile must not deny it, nor one that comes
 * while nobody knows whether the shard took.
 *
 * <p>Who is a guest follows from the sale's ring, whose places and their order never change, only
 * their states; whoever adds a place must mark the stock of all others first.
 *
 * <p>What slips through: a guest of another instance within that time ({@link AttemptService}).
 */
@Component
final class Guests {

    static final long TRUSTED_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long NOT_HEARD = 0;
    private static final long FOR_GOOD = -1;

    /** When each shard was asked that said it was free: {@link #now}, or one of the two words. */
    private final PerShard freeAtNs;

    private final long startNs = System.nanoTime();

    @Autowired
    Guests(SaleCache sales, QuantityStocks shards) {
        this(sales::products, shards.all().size());
    }

    Guests(Supplier<? extends Collection<String>> onSale, int shards) {
        freeAtNs = new PerShard(onSale, shards);
    }

    /** Above 0, for {@link #heard} and {@link #places}. */
    long now() {
        return System.nanoTime() - startNs + 1;
    }

    /** Those of the ring, but for the home shard, that may be asked and may have guests. */
    List<Placement> places(List<Placement> ring, String productId, long nowNs) {
        List<Placement> places = List.of();
        for (int i = 1; i < ring.size(); i++) {
            Placement placement = ring.get(i);
            if (placement.state() != Placement.State.RETIRED
                    && !isFree(freeAtNs.get(productId, placement.shard()), nowNs)) {
                places = places.isEmpty() ? new ArrayList<>() : places;
                places.add(placement);
            }
        }
        return places;
    }

    private static boolean isFree(long atNs, long nowNs) {
        return atNs > NOT_HEARD && nowNs - atNs < TRUSTED_NS;
    }

    /** A guest is about to be sent there. */
    void mayCome(String productId, int shard) {
        freeAtNs.set(productId, shard, FOR_GOOD);
    }

    /** What a shard said that was asked then. */
    void heard(String productId, int shard, boolean mayHaveGuests, long askedAtNs) {
        long known = freeAtNs.get(productId, shard);
        if (mayHaveGuests) {
            freeAtNs.set(productId, shard, FOR_GOOD);
        } else if (known != FOR_GOOD && known < askedAtNs) {
            freeAtNs.compareAndSet(productId, shard, known, askedAtNs);
        }
    }
}
