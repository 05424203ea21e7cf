package io.seckill.flashsale.attempt;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.common.Counters;
import io.seckill.contracts.Placement;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Outcome;
import io.seckill.flashsale.attempt.MarkFinder.Found;
import io.seckill.flashsale.sale.Sale;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.Ring;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Takes units for a user from the first shard of the user's ring that has them; waits for nothing.
 *
 * <p>The home shard is asked at once, one round trip. Another shard is asked for the user's mark
 * first only where the user may be a guest ({@link Guests}), from a time when the home shard was
 * empty or down. A mark may be missed: of a guest taken by another instance less than {@link
 * Guests#TRUSTED_NS} ago, in a shard that does not answer, and between two tries of one moment. The
 * shard stops a second unit when it is the same one, the database's {@code one_live_order} when it
 * is not; the loser's unit goes back.
 *
 * <p>While every shard of the sale was empty a moment ago ({@link Empties}) only the user's marks
 * are read, all at once. A walk that passed over a shard as empty and ends with SOLD_OUT reads them
 * too: who holds a unit there must hear ALREADY_BOUGHT. Where the shards say with the marks that a
 * unit came back, they are asked for it.
 *
 * <p>Down means "not done": the next shard is asked, and the answer can no longer be SOLD_OUT. That
 * is a shard that cannot be reached, was silent a moment ago, has too many on their way to it
 * ({@link UnderWay}), or says that the attempt comes too late by its clock although there is time
 * left: the deadline it is told is in its own time ({@link io.seckill.shard.ShardClock}), so only a
 * clock that was set within the last second makes that happen. Unknown means "perhaps done": the
 * same shard is asked again with the same reservation id until the deadline, which the shard checks
 * too, so that what it has not taken by then it never will. The buyer is told PENDING then, and
 * {@link UnknownListener} finds out. Each shard gets an id of its own: should a sleeping shard wake
 * and take what it had refused a moment ago, two reservations exist, the second is rejected by the
 * database and returned, and no unit is lost behind an id that both shards know.
 *
 * <p>Where every shard is down {@link AllDownListener} may keep the attempt. It has an id then, and
 * comes back as a {@link #replay} that tries just that at the home shard: one that was killed after
 * the shard took a unit is answered as the first time. Of a synthetic sale nothing is kept, for it
 * may be removed while nothing of it is in a shard.
 */
@Component
public final class AttemptService {

    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(1);

    private final Function<String, CompletableFuture<Outcome<Sale>>> sales;
    private final MarkFinder marks;
    private final AllDownListener allDown;
    private final Clock clock;
    private final Walk.Tools tools;

    @Autowired
    AttemptService(
            SaleCache sales,
            QuantityStocks shards,
            MarkFinder marks,
            Guests guests,
            Empties empties,
            UnderWay underWay,
            ShardOutcomes outcomes,
            ReservationIds ids,
            TakenListener listener,
            UnknownListener unknown,
            AllDownListener allDown,
            Clock clock) {
        this(
                sales::askOpen,
                marks,
                allDown,
                clock,
                new Walk.Tools(
                        shards, guests, empties, underWay, outcomes, ids, listener, unknown));
    }

    private AttemptService(
            Function<String, CompletableFuture<Outcome<Sale>>> sales,
            MarkFinder marks,
            AllDownListener allDown,
            Clock clock,
            Walk.Tools tools) {
        this.sales = sales;
        this.marks = marks;
        this.allDown = allDown;
        this.clock = clock;
        this.tools = tools;
    }

    /** For a sale that nobody else sees: it tells nobody, and shares no more than is given. */
    public static AttemptService apart(
            Sale sale,
            QuantityStocks shards,
            Counters counters,
            MeterRegistry registry,
            Clock clock) {
        Supplier<List<String>> products = () -> List.of(sale.productId());
        int count = shards.all().size();
        Guests guests = new Guests(products, count);
        return new AttemptService(
                product -> CompletableFuture.completedFuture(sale.ifOpen(clock.millis())),
                new MarkFinder(shards, guests),
                AllDownListener.NOBODY,
                clock,
                new Walk.Tools(
                        shards,
                        guests,
                        new Empties(products, count),
                        new UnderWay(count),
                        new ShardOutcomes(counters, registry, count),
                        new ReservationIds(clock),
                        (shard, wish, isLast) -> {},
                        (shard, wish) -> CompletableFuture.completedFuture(false)));
    }

    /**
     * Accepted; pending; refused with SOLD_OUT, ALREADY_BOUGHT, BUSY, and without a word to any
     * shard with NOT_STARTED, ENDED, NO_SUCH_SALE, BAD_REQUEST (more than one buyer may have). Ends
     * within some seconds, on whichever thread knows the outcome: what follows must not wait.
     *
     * @param key the buyer's own name for this attempt, empty: none. Repeated where the same wish
     *     under the same key holds the unit; the shard's own mark says so, so it is as true after a
     *     lost answer or a restart, and as long as the reservation is held.
     */
    public CompletableFuture<AttemptOutcome> attempt(
            String userId, String productId, int quantity, String key) {
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        String idEnding = ReservationIds.ending(userId, productId, quantity, key);
        return sales.apply(productId)
                .thenCompose(known -> known.either(
                        sale -> attempt(sale, userId, quantity, idEnding, "", deadlineNs),
                        AttemptService::refused))
                .thenApply(outcome -> outcome.orRepeated(idEnding));
    }

    /**
     * The same of one that was told to {@link AllDownListener}, who is not told again. No shard takes
     * a unit for it after its end, however long this thread sleeps between two of these lines.
     */
    public CompletableFuture<AttemptOutcome> replay(AllDownListener.Wish wish) {
        long nowNs = System.nanoTime(); // before the other clock is read
        long leftNs = TimeUnit.MILLISECONDS.toNanos(wish.endAtMs() - clock.millis());
        long deadlineNs = nowNs + Math.min(DEADLINE_NS, leftNs);
        return sales.apply(wish.productId())
                .thenCompose(known -> known.either(
                        sale -> attempt(
                                sale,
                                wish.userId(),
                                wish.quantity(),
                                wish.idEnding(),
                                wish.reservationId(),
                                deadlineNs),
                        AttemptService::refused));
    }

    private static CompletableFuture<AttemptOutcome> refused(Refusal refusal) {
        return CompletableFuture.completedFuture(AttemptOutcome.refused(refusal));
    }

    private CompletableFuture<AttemptOutcome> attempt(
            Sale sale,
            String userId,
            int quantity,
            String idEnding,
            String homeId,
            long deadlineNs) {
        if (quantity > sale.perUserLimit()) {
            return CompletableFuture.completedFuture(AttemptOutcome.overLimit(sale.perUserLimit()));
        }
        List<Placement> ring = Ring.of(userId, sale.placements());
        Supplier<Walk> walks = () -> new Walk(
                tools, ring, sale.productId(), userId, quantity, idEnding, homeId, deadlineNs);
        if (tools.empties().hasAll(ring, sale.productId(), tools.guests().now())) {
            return soldOut(ring, sale.productId(), userId, walks);
        }
        Walk walk = walks.get();
        return marks.findAway(ring, sale.productId(), userId)
                .thenCompose(found -> alreadyBought(found)
                        .map(CompletableFuture::completedFuture)
                        .orElseGet(walk::start))
                .thenCompose(outcome -> walk.hasPassedOver() && isSoldOut(outcome)
                        ? soldOut(ring, sale.productId(), userId, walks)
                        : CompletableFuture.completedFuture(outcome))
                .thenCompose(outcome -> walk.foundAllDown() && homeId.isEmpty() && !sale.synthetic()
                        ? allDown.allDown(new AllDownListener.Wish(
                                sale.productId(),
                                userId,
                                tools.ids().next(idEnding),
                                quantity,
                                idEnding,
                                sale.endAtMs()))
                        : CompletableFuture.completedFuture(outcome));
    }

    private static boolean isSoldOut(AttemptOutcome outcome) {
        return outcome instanceof AttemptOutcome.Refused refused
                && refused.refusal() == Refusal.SOLD_OUT;
    }

    /**
     * Whoever holds a reservation is told of it, also at a shard that was not asked for units. With
     * the marks the shards say what they have left: where a unit came back they are asked for it.
     */
    private CompletableFuture<AttemptOutcome> soldOut(
            List<Placement> ring, String productId, String userId, Supplier<Walk> walks) {
        return marks.findAt(ring, productId, userId).thenCompose(found -> {
            Optional<AttemptOutcome> known = alreadyBought(found);
            if (known.isEmpty() && found.complete() && !found.nothingLeft()) {
                return walks.get().startEverywhere();
            }
            return CompletableFuture.completedFuture(known.orElseGet(() -> found.complete()
                    ? AttemptOutcome.nothingLeft()
                    : AttemptOutcome.refused(Refusal.BUSY)));
        });
    }

    private static Optional<AttemptOutcome> alreadyBought(Found found) {
        return found.marks().stream()
                .findFirst()
                .map(mark -> AttemptOutcome.alreadyBought(mark.reservationId()));
    }
}
