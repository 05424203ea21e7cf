package io.seckill.flashsale.query;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.seckill.common.Counters;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.UnknownListener;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.Fate;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.Reserve;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.resps.Tuple;

/**
 * Finds out what became of attempts whose outcome nobody knew at their deadline.
 *
 * <p>They are kept in the control Redis, so a restart loses none and any instance finds out; two
 * that do so at once write the same. The shard is asked for the reservation's id: what is not there
 * after the deadline, by the shard's own clock and with its gate open, can no longer come, and its
 * user is told REJECTED. What is there will be ordered or rejected by order-service; it stays here
 * until that has told so, for till then the shard may still lose it. A shard that was retired never
 * answers: 20 s later, when what it had handed over has long been decided, nothing was taken.
 *
 * <p>What this process wrote there it remembers ({@link OpenHere}), and writes it anew where the
 * control Redis has lost it: a restart and that loss together lose it.
 *
 * <p>Each round looks at one page of each shard that is there, and at the next page in the next
 * round, so that what cannot be told for long keeps nobody else waiting.
 */
@Component
public final class Unknowns implements UnknownListener, MeterBinder {

    private static final Logger LOG = LoggerFactory.getLogger(Unknowns.class);
    private static final int PAGE = 100;
    private static final long PATIENCE_MS = 1_000;
    private static final long RETIRED_MS = Duration.ofSeconds(20).toMillis();

    private final SaleCache sales;
    private final QuantityStocks shards;
    private final ResultStore results;
    private final Counters counters;
    private final Clock clock;

    /** Where the next page of each shard begins. */
    private final int[] from;

    private final List<OpenHere> here;

    /** How many are open, all instances' together, as each turn finds them. */
    private final AtomicLongArray open;

    Unknowns(
            SaleCache sales,
            QuantityStocks shards,
            ResultStore results,
            Counters counters,
            Clock clock) {
        this.sales = sales;
        this.shards = shards;
        this.results = results;
        this.counters = counters;
        this.clock = clock;
        from = new int[shards.all().size()];
        here = shards.all().stream().map(shard -> new OpenHere()).toList();
        open = new AtomicLongArray(from.length);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (int shard = 0; shard < open.length(); shard++) {
            int index = shard;
            Gauge.builder("seckill_unknown_attempts", open, all -> all.get(index))
                    .description("attempts whose outcome nobody knows yet, of all instances")
                    .tag("hop", "flash-sale")
                    .tag("shard", Integer.toString(shard))
                    .register(registry);
        }
    }

    @Override
    public CompletableFuture<Boolean> unknown(int shard, Reserve wish) {
        Unknown attempt = new Unknown(
                wish.reservationId(), wish.productId(), wish.userId(), wish.deadlineMs());
        return results.storeUnknown(shard, attempt).thenApply(isKept -> {
            if (isKept) {
                here.get(shard).add(attempt);
            }
            return isKept;
        });
    }

    /**
     * Looks at a page of each shard. True: there is more to settle at once. Throws what one of them
     * met, once all had their turn.
     */
    public boolean resolve() {
        boolean more = false;
        JedisDataException first = null;
        for (QuantityStock shard : shards.all()) {
            try {
                open.set(shard.index(), results.unknowns(shard.index()));
                more |= storeLost(shard.index());
                more |= !shard.shard().isLeftOut() && resolve(shard);
            } catch (JedisDataException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
        return more;
    }

    /** Whether the shard is there or not: its buyers are PENDING till then. True: more are lost. */
    private boolean storeLost(int shard) {
        List<Unknown> page = here.get(shard).page(PAGE);
        List<Unknown> gone = results.notOpen(shard, page);
        for (Unknown attempt : gone) {
            if (!results.storeLostUnknown(shard, attempt)) {
                here.get(shard).remove(attempt.member());
            }
        }
        return page.size() == PAGE && !gone.isEmpty();
    }

    /** What is asked about an attempt, null when no shard need be asked: nothing was taken. */
    private record Asked(Unknown attempt, @Nullable CompletableFuture<Fate> fate) {}

    private boolean resolve(QuantityStock shard) {
        List<Tuple> page = results.unknown(shard.index(), from[shard.index()], PAGE);
        List<Asked> asked = new ArrayList<>();
        int settled = 0;
        for (Tuple tuple : page) {
            Unknown attempt = read(shard.index(), tuple);
            if (attempt == null) {
                settled++;
            } else {
                asked.add(new Asked(attempt, ask(shard, attempt)));
            }
        }
        for (Asked one : asked) {
            settled += settle(shard.index(), one) ? 1 : 0;
        }
        boolean isFull = page.size() == PAGE;
        from[shard.index()] = isFull ? from[shard.index()] + PAGE - settled : 0;
        return isFull && settled > 0;
    }

    /** Null, and it is forgotten: there is no such sale any more, or it cannot be read. */
    private @Nullable Unknown read(int shard, Tuple tuple) {
        try {
            Unknown attempt = Unknown.of(tuple.getElement(), tuple.getScore());
            boolean isGone = sales.get(attempt.productId())
                    .either(sale -> false, refusal -> refusal == Refusal.NO_SUCH_SALE);
            if (!isGone) {
                return attempt;
            }
        } catch (IllegalArgumentException e) {
            LOG.error("shard {}: {} is forgotten", shard, e.getMessage());
        }
        results.forgetUnknown(shard, tuple.getElement());
        return null;
    }

    private @Nullable CompletableFuture<Fate> ask(QuantityStock shard, Unknown attempt) {
        boolean isRetired = sales.get(attempt.productId())
                .either(sale -> sale.isRetiredAt(shard.index()), refusal -> false);
        boolean isOld = clock.millis() - attempt.deadlineMs() > RETIRED_MS;
        return isRetired && isOld
                ? null
                : shard.fateAsync(
                        attempt.productId(), attempt.reservationId(), attempt.deadlineMs());
    }

    private boolean settle(int shard, Asked asked) {
        boolean isSettled = isSettled(shard, asked);
        if (isSettled) {
            here.get(shard).remove(asked.attempt().member());
        }
        return isSettled;
    }

    private boolean isSettled(int shard, Asked asked) {
        counters.count("seckill_unknown_total");
        Fate fate = fate(asked);
        if (fate == Fate.NOTHING) {
            results.settleRejected(shard, asked.attempt());
            counters.count("seckill_unknown_rejected_total");
            return true;
        }
        if (fate == Fate.TAKEN && results.settleTaken(shard, asked.attempt())) {
            counters.count("seckill_unknown_taken_total");
            return true;
        }
        counters.count("seckill_unknown_deferred_total");
        return false;
    }

    private static Fate fate(Asked asked) {
        if (asked.fate() == null) {
            return Fate.NOTHING;
        }
        return asked.fate()
                .exceptionally(failure -> Fate.OPEN) // it did not tell: asked again
                .completeOnTimeout(Fate.OPEN, PATIENCE_MS, TimeUnit.MILLISECONDS)
                .join();
    }
}
