package io.seckill.flashsale.spool;

import static java.util.stream.Collectors.groupingBy;

import io.seckill.common.CrashPoint;
import io.seckill.contracts.Placement;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.AllDownListener.Wish;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.flashsale.attempt.AttemptOutcome.Pending;
import io.seckill.flashsale.attempt.AttemptOutcome.Refused;
import io.seckill.flashsale.attempt.AttemptOutcome.Repeated;
import io.seckill.flashsale.attempt.AttemptService;
import io.seckill.flashsale.attempt.MarkFinder;
import io.seckill.flashsale.attempt.MarkFinder.Found;
import io.seckill.flashsale.query.ResultStore;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.Ring;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Makes the attempts that wait in the spool, the oldest of a sale first.
 *
 * <p>One of each sale that has a shard to be asked goes first; while it stays, the others wait for
 * the next turn. Else {@link #AT_ONCE} at a time follow. Each is an attempt as any other, and is
 * taken out once its end is written where its buyer looks: a unit has its mark, an unknown one is
 * with {@code Unknowns}, all else is a word in the control Redis. A kill between the two makes it
 * once more: the home shard is told the same id, and before it is asked whoever may have served
 * the user away from home is, for a process that has just begun trusts no shard to have no guests.
 *
 * <p>What expires was never sent, or its user holds nothing in any shard: where that cannot be told
 * for a record of an earlier process it waits, so that nobody is told REJECTED of a unit.
 */
@Component
public final class SpoolReplay {

    static final int AT_ONCE = 64;

    private static final long PATIENCE_S = 10;
    private static final int UNTOLD_PER_TURN = 1_000;

    private static final CompletableFuture<?> STAYS = CompletableFuture.completedFuture(null);

    private final Spool spool;
    private final Copy copy;
    private final AttemptService attempts;
    private final MarkFinder marks;
    private final ResultStore results;
    private final SaleCache sales;
    private final QuantityStocks shards;
    private final Clock clock;
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    SpoolReplay(
            Spool spool,
            AttemptService attempts,
            MarkFinder marks,
            ResultStore results,
            SaleCache sales,
            QuantityStocks shards,
            Clock clock) {
        this.spool = spool;
        copy = spool.copy();
        this.attempts = attempts;
        this.marks = marks;
        this.results = results;
        this.sales = sales;
        this.shards = shards;
        this.clock = clock;
    }

    /** One turn: what waits is tried, told or left. False: nothing more can be done now. */
    public boolean replay() {
        if (copy.size() == 0) {
            return false;
        }
        copy.all().stream().collect(groupingBy(Spooled::productId)).forEach(this::replay);
        RuntimeException first = failure.getAndSet(null);
        if (first != null) {
            throw first; // once all had their turn
        }
        return false;
    }

    private void replay(String product, List<Spooled> waiting) {
        waiting.stream()
                .filter(one -> !copy.isTold(one))
                .limit(UNTOLD_PER_TURN)
                .forEach(this::tell);
        Refusal closed = sales.open(product).either(sale -> Refusal.BUSY, refusal -> refusal);
        if (closed == Refusal.ENDED || closed == Refusal.NO_SUCH_SALE) {
            inTurns(waiting, one -> expire(one, "ENDED"));
            return;
        }
        long nowMs = clock.millis();
        inTurns(
                waiting.stream().filter(one -> one.expiresAtMs() <= nowMs).toList(),
                one -> expire(one, "EXPIRED"));
        List<Spooled> open =
                waiting.stream().filter(one -> one.expiresAtMs() > nowMs).toList();
        if (mayAsk(product) && !open.isEmpty()) {
            inTurns(open.subList(0, 1), this::make);
            if (!copy.has(open.get(0))) {
                inTurns(open.subList(1, open.size()), this::make);
            }
        }
    }

    private interface Step {
        CompletableFuture<?> begin(Spooled one);
    }

    /** Ends once none of a turn has ended anything: the shards are down again. */
    private void inTurns(List<Spooled> all, Step step) {
        for (int from = 0; from < all.size(); from += AT_ONCE) {
            List<Spooled> turn = all.subList(from, Math.min(from + AT_ONCE, all.size()));
            CompletableFuture.allOf(
                            turn.stream().map(step::begin).toArray(CompletableFuture[]::new))
                    .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
                    .exceptionally(this::failed)
                    .join();
            if (turn.stream().allMatch(copy::has)) {
                return;
            }
        }
    }

    private @Nullable Void failed(Throwable why) {
        failure.compareAndSet(null, new IllegalStateException("replay failed: " + why, why));
        return null;
    }

    /** A shard of the sale is open, and was not silent a moment ago. */
    private boolean mayAsk(String product) {
        return sales.get(product)
                .either(
                        sale -> sale.placements().stream()
                                .anyMatch(place -> place.state() == Placement.State.OPEN
                                        && !shards.get(place.shard()).shard().isLeftOut()),
                        refusal -> false);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // tried again in the next turn
    private void tell(Spooled one) {
        results.storeSpooled(one.productId(), one.userId(), one.reservationId(), one.expiresAtMs())
                .thenAccept(isTold -> copy.told(one));
    }

    private CompletableFuture<?> make(Spooled one) {
        boolean wasSent = copy.mayHaveBeenSent(one);
        copy.sent(one, true);
        return attempts.replay(new Wish(
                        one.productId(),
                        one.userId(),
                        one.reservationId(),
                        one.quantity(),
                        one.idEnding(),
                        one.expiresAtMs()))
                .thenCompose(outcome -> end(one, wasSent, outcome));
    }

    private CompletableFuture<?> end(Spooled one, boolean wasSent, AttemptOutcome outcome) {
        if (outcome instanceof Accepted accepted) {
            return has(one, accepted.reservationId());
        }
        if (outcome instanceof Pending open) {
            return has(one, open.reservationId());
        }
        if (outcome instanceof Repeated repeated) {
            return has(one, repeated.reservationId());
        }
        Refused refused = (Refused) outcome;
        if (refused.refusal() == Refusal.ALREADY_BOUGHT) {
            return has(one, String.valueOf(refused.more().get("reservationId")));
        }
        if (refused.refusal() == Refusal.SOLD_OUT) {
            return results.rejectSpooled(
                            one.productId(), one.userId(), one.reservationId(), "SOLD_OUT")
                    .thenCompose(told -> made(one));
        }
        copy.sent(one, wasSent || refused.isUnknown());
        return STAYS;
    }

    private CompletableFuture<?> has(Spooled one, String reservationId) {
        return told(one, reservationId).thenCompose(told -> made(one));
    }

    private CompletableFuture<?> made(Spooled one) {
        CrashPoint.SPOOL_MADE.reached(one.productId());
        return spool.replayed(one);
    }

    /** Its word is that of the reservation its user has. */
    private CompletableFuture<Void> told(Spooled one, String reservationId) {
        return reservationId.equals(one.reservationId())
                ? CompletableFuture.completedFuture(null)
                : results.forgetSpooled(one.productId(), one.userId(), one.reservationId());
    }

    /** One that was perhaps sent is not told no before it is known to hold nothing. */
    private CompletableFuture<?> expire(Spooled one, String reason) {
        if (!copy.mayHaveBeenSent(one)) {
            return reject(one, reason);
        }
        return sales.get(one.productId())
                .either(
                        sale -> marks.find(
                                        Ring.of(one.userId(), sale.placements()),
                                        one.productId(),
                                        one.userId())
                                .thenCompose(found -> expire(one, reason, found)),
                        refusal -> refusal == Refusal.NO_SUCH_SALE ? reject(one, reason) : STAYS);
    }

    private CompletableFuture<?> expire(Spooled one, String reason, Found found) {
        if (!found.marks().isEmpty()) {
            return told(one, found.marks().get(0).reservationId())
                    .thenCompose(told -> spool.remove(one, reason));
        }
        return found.complete() ? reject(one, reason) : STAYS;
    }

    private CompletableFuture<?> reject(Spooled one, String reason) {
        return results.rejectSpooled(one.productId(), one.userId(), one.reservationId(), reason)
                .thenCompose(told -> spool.remove(one, reason));
    }
}
