package io.seckill.flashsale.attempt;

import io.seckill.contracts.Placement;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.flashsale.attempt.MarkFinder.Found;
import io.seckill.flashsale.sale.Sale;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.Reserve;
import io.seckill.quantity.ReserveOutcome;
import io.seckill.shard.Ring;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * Takes units for a user from the first shard of the user's ring that has them.
 *
 * <p>The other shards are asked first whether the user holds a reservation there, from a time when
 * the home shard was empty or down. Two tries at the same moment may slip through that; the shard
 * stops them when it is the same one, the database's {@code one_live_order} when it is not.
 *
 * <p>Down means "not done": the next shard is asked, and the answer can no longer be SOLD_OUT.
 * Unknown means "perhaps done": the same shard is asked again with the same reservation id until
 * the deadline, which the shard checks too, so that nothing is taken after the buyer was told BUSY
 * and stopped waiting. Each shard gets an id of its own: should a sleeping shard wake and take what
 * it had refused a moment ago, two reservations exist, the second is rejected by the database and
 * returned, and no unit is lost behind an id that both shards know.
 */
@Component
public final class AttemptService {

    private static final long DEADLINE_MS = 1_000;
    private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
    private static final long PAUSE_MS = 20;
    private static final AttemptOutcome BUSY = AttemptOutcome.refused(Refusal.BUSY);

    /** A shard that did nothing says as much about the stock as one that was never loaded. */
    private static final ReserveOutcome DOWN =
            new ReserveOutcome(ReserveOutcome.Word.NOT_LOADED, "");

    private static final ReserveOutcome EMPTY =
            new ReserveOutcome(ReserveOutcome.Word.SOLD_OUT, "0");

    private final SaleCache sales;
    private final QuantityStocks shards;
    private final MarkFinder marks;
    private final ReservationIds ids;
    private final TakenListener listener;
    private final Clock clock;

    AttemptService(
            SaleCache sales,
            QuantityStocks shards,
            MarkFinder marks,
            ReservationIds ids,
            TakenListener listener,
            Clock clock) {
        this.sales = sales;
        this.shards = shards;
        this.marks = marks;
        this.ids = ids;
        this.listener = listener;
        this.clock = clock;
    }

    /**
     * Accepted; refused with SOLD_OUT, ALREADY_BOUGHT, BUSY, and without a word to any shard with
     * NOT_STARTED, ENDED, NO_SUCH_SALE, BAD_REQUEST (more than one buyer may have).
     */
    public AttemptOutcome attempt(String userId, String productId, int quantity) {
        long deadlineMs = clock.millis() + DEADLINE_MS;
        return sales.open(productId)
                .either(
                        sale -> attempt(sale, userId, quantity, deadlineMs),
                        AttemptOutcome::refused);
    }

    private AttemptOutcome attempt(Sale sale, String userId, int quantity, long deadlineMs) {
        if (quantity > sale.perUserLimit()) {
            return AttemptOutcome.overLimit(sale.perUserLimit());
        }
        List<Placement> ring = Ring.of(userId, sale.placements());
        Found found = marks.find(ring.subList(1, ring.size()), sale.productId(), userId);
        if (!found.marks().isEmpty()) {
            return AttemptOutcome.alreadyBought(found.marks().get(0).reservationId());
        }
        return take(ring, sale, userId, quantity, deadlineMs);
    }

    private AttemptOutcome take(
            List<Placement> ring, Sale sale, String userId, int quantity, long deadlineMs) {
        boolean allAnswered = true;
        boolean nothingLeft = true;
        for (Placement placement : ring) {
            Reserve wish = new Reserve(ids.next(), sale.productId(), userId, quantity, deadlineMs);
            Optional<ReserveOutcome> answer = ask(placement, wish);
            if (answer.isEmpty()) {
                return BUSY;
            }
            ReserveOutcome outcome = answer.get();
            nothingLeft &= outcome.isEmpty();
            switch (outcome.word()) {
                case TAKEN:
                    listener.taken(placement.shard(), sale.productId());
                    return new Accepted(wish.reservationId());
                case ALREADY_BOUGHT:
                    return AttemptOutcome.alreadyBought(outcome.detail());
                case SOLD_OUT:
                    break;
                case NOT_LOADED:
                    allAnswered = false;
                    break;
                default: // too late, or called off: the next try has a new id
                    return BUSY;
            }
        }
        if (!allAnswered) {
            return BUSY;
        }
        return nothingLeft ? AttemptOutcome.nothingLeft() : AttemptOutcome.tooFewLeft();
    }

    /** Only an open placement is asked: a recovering one is down, a retired one empty. */
    private Optional<ReserveOutcome> ask(Placement placement, Reserve wish) {
        return switch (placement.state()) {
            case OPEN -> ask(shards.get(placement.shard()), wish);
            case RECOVERING -> Optional.of(DOWN);
            case RETIRED -> Optional.of(EMPTY);
        };
    }

    /**
     * The shard's answer or {@link #DOWN}; empty when nobody knows until the deadline. A clock that
     * is set back would move that away: the time since the first question ends it too.
     */
    private Optional<ReserveOutcome> ask(QuantityStock shard, Reserve wish) {
        long startNs = System.nanoTime();
        boolean sent = false;
        do {
            try {
                return Optional.of(shard.reserve(wish));
            } catch (ShardDownException e) {
                if (!sent) {
                    return Optional.of(DOWN);
                }
            } catch (ShardUnknownException e) {
                sent = true;
            }
        } while (pause()
                && clock.millis() < wish.deadlineMs()
                && System.nanoTime() - startNs < DEADLINE_NS);
        return Optional.empty();
    }

    private static boolean pause() {
        try {
            Thread.sleep(PAUSE_MS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
