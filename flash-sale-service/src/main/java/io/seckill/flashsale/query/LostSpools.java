package io.seckill.flashsale.query;

import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Outcome;
import io.seckill.flashsale.sale.Sale;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.Fate;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.Ring;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import redis.clients.jedis.resps.Tuple;

/**
 * Tells the buyers of a spool that is lost what became of their attempts.
 *
 * <p>The control Redis has each that was told to it, by its expiry; any instance looks at those that
 * expired {@link #MARGIN} ago. No shard takes a unit for one after its expiry ({@link
 * io.seckill.flashsale.attempt.AttemptService#replay}): so what its home shard does not have by then,
 * its gate open, can no longer come, should the disk be found again too; and its user is told
 * REJECTED, unless its own instance has told its end. What is there stays here until order-service
 * has told of it, for till then the shard may still lose it. A unit of another shard has another id,
 * which tells for itself. All of it holds while the clocks of hosts and shards agree within the
 * margin, which is what the times of sales need as well.
 */
@Component
public final class LostSpools {

    private static final Duration MARGIN = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(LostSpools.class);
    private static final CompletableFuture<Fate> OPEN =
            CompletableFuture.completedFuture(Fate.OPEN);
    private static final int PAGE = 100;
    private static final long PATIENCE_MS = 1_000;

    private final SaleCache sales;
    private final QuantityStocks shards;
    private final ResultStore results;
    private final Clock clock;
    private int from; // where the next page begins

    LostSpools(SaleCache sales, QuantityStocks shards, ResultStore results, Clock clock) {
        this.sales = sales;
        this.shards = shards;
        this.results = results;
        this.clock = clock;
    }

    private record Asked(Unknown attempt, CompletableFuture<Fate> fate) {}

    /** Looks at a page, and at the next one in the next turn. True: there is more to settle now. */
    public boolean resolve() {
        List<Tuple> page = results.spooled(clock.millis() - MARGIN.toMillis(), from, PAGE);
        List<Asked> asked =
                page.stream().map(this::read).flatMap(Optional::stream).toList();
        int settled = page.size() - asked.size();
        for (Asked one : asked) {
            settled += settle(one) ? 1 : 0;
        }
        boolean isFull = page.size() == PAGE;
        from = isFull ? from + PAGE - settled : 0;
        return isFull && settled > 0;
    }

    /** Empty, and it is dropped: there is no such sale any more, or it cannot be read. */
    private Optional<Asked> read(Tuple tuple) {
        try {
            Unknown attempt = Unknown.of(tuple.getElement(), tuple.getScore());
            Outcome<Sale> sale = sales.get(attempt.productId());
            if (sale.either(found -> true, refusal -> refusal != Refusal.NO_SUCH_SALE)) {
                return Optional.of(new Asked(
                        attempt, sale.either(found -> fate(attempt, found), refusal -> OPEN)));
            }
        } catch (IllegalArgumentException e) {
            LOG.error("{} is dropped", e.getMessage());
        }
        results.dropSpooled(tuple.getElement());
        return Optional.empty();
    }

    private CompletableFuture<Fate> fate(Unknown attempt, Sale sale) {
        int home = Ring.of(attempt.userId(), sale.placements()).get(0).shard();
        if (sale.isRetiredAt(home)) {
            return CompletableFuture.completedFuture(Fate.NOTHING);
        }
        QuantityStock shard = shards.get(home);
        if (shard.shard().isLeftOut()) {
            return OPEN;
        }
        long agoMs = clock.millis() - attempt.deadlineMs();
        return shard.fateAsync(
                        attempt.productId(),
                        attempt.reservationId(),
                        shard.shard().clock().millis() - agoMs)
                .exceptionally(failure -> Fate.OPEN) // it did not tell: asked again
                .completeOnTimeout(Fate.OPEN, PATIENCE_MS, TimeUnit.MILLISECONDS);
    }

    private boolean settle(Asked asked) {
        return switch (asked.fate().join()) {
            case NOTHING -> {
                results.settleSpooledRejected(asked.attempt());
                yield true;
            }
            case TAKEN -> results.settleSpooledTaken(asked.attempt());
            case OPEN, GATED -> false;
        };
    }
}
