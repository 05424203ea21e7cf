package io.seckill.flashsale.attempt;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.seckill.common.CrashPoint;
import io.seckill.contracts.Placement;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.attempt.AttemptOutcome.Accepted;
import io.seckill.flashsale.attempt.AttemptOutcome.Pending;
import io.seckill.flashsale.attempt.ShardOutcomes.Silence;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.Reserve;
import io.seckill.quantity.ReserveOutcome;
import io.seckill.quantity.ReserveOutcome.Word;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardFullException;
import io.seckill.shard.ShardUnknownException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * One attempt on its way along the user's ring.
 *
 * <p>One step at a time, each begun by the answer to the last, on the thread that brought it: no
 * two threads are in a walk at once, and whatever one wrote the next one sees, for the answer came
 * to it through the shard's pipeline.
 */
final class Walk {

    private static final AttemptOutcome BUSY = AttemptOutcome.refused(Refusal.BUSY);
    private static final Executor PAUSE =
            CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);

    /** What every walk uses. */
    record Tools(
            QuantityStocks shards,
            Guests guests,
            Empties empties,
            UnderWay underWay,
            ShardOutcomes outcomes,
            ReservationIds ids,
            TakenListener listener,
            UnknownListener unknown) {}

    private final Tools tools;
    private final List<Placement> ring;
    private final String productId;
    private final String userId;
    private final int quantity;
    private final String idEnding;
    private final String homeId;
    private final long deadlineNs;
    private final CompletableFuture<AttemptOutcome> end = new CompletableFuture<>();

    private int steps;
    private boolean allAnswered = true;
    private boolean passedOver;
    private boolean anyUp;
    private boolean passesOver = true;
    private boolean nothingLeft = true;

    /** homeId: the id to try at the home shard; empty: a new one. */
    Walk(
            Tools tools,
            List<Placement> ring,
            String productId,
            String userId,
            int quantity,
            String idEnding,
            String homeId,
            long deadlineNs) {
        this.tools = tools;
        this.ring = ring;
        this.productId = productId;
        this.userId = userId;
        this.quantity = quantity;
        this.idEnding = idEnding;
        this.homeId = homeId;
        this.deadlineNs = deadlineNs;
    }

    CompletableFuture<AttemptOutcome> start() {
        step();
        return end;
    }

    /** Also at the shards that were empty a moment ago. */
    CompletableFuture<AttemptOutcome> startEverywhere() {
        passesOver = false;
        return start();
    }

    /**
     * A shard was not asked because it was empty a moment ago, so that nobody knows what the user
     * holds there, nor whether a unit came back; to be asked when it has ended.
     */
    boolean hasPassedOver() {
        return passedOver;
    }

    /**
     * It ended because every shard of the sale was down: none said anything about its stock, none
     * may have taken a unit, none was only busy.
     */
    boolean foundAllDown() {
        return steps == ring.size() && !allAnswered && !passedOver && !anyUp;
    }

    /**
     * Only an open placement is asked: a recovering one is down, a retired one empty. Of the others
     * than the home shard, which knows what the user holds, not what was empty a moment ago. Nobody
     * is asked once the time is over.
     */
    private void step() {
        while (steps < ring.size() && leftNs() > 0) {
            Placement placement = ring.get(steps++);
            if (passesOver
                    && steps > 1
                    && tools.empties().has(placement, productId, tools.guests().now())) {
                passedOver |= placement.state() != Placement.State.RETIRED;
                continue;
            }
            switch (placement.state()) {
                case OPEN -> {
                    if (ask(tools.shards().get(placement.shard()))) {
                        return;
                    }
                    down();
                }
                case RECOVERING -> down();
                case RETIRED -> {}
            }
        }
        allAnswered &= steps == ring.size();
        end.complete(nobodySold());
    }

    private long leftNs() {
        return deadlineNs - System.nanoTime();
    }

    /** A shard that did nothing says as much about the stock as one that was never loaded. */
    private void down() {
        allAnswered = false;
        nothingLeft = false;
    }

    private AttemptOutcome nobodySold() {
        if (!allAnswered) {
            return BUSY;
        }
        return nothingLeft ? AttemptOutcome.nothingLeft() : AttemptOutcome.tooFewLeft();
    }

    /** False: nothing was sent, for the shard is left out or has as many on the way as may be. */
    private boolean ask(QuantityStock stock) {
        int shard = stock.index();
        long askedAtNs = System.nanoTime();
        tools.outcomes().asked(shard);
        if (stock.shard().isLeftOut()) {
            tools.outcomes().unanswered(shard, Silence.LEFT_OUT, askedAtNs);
            return false;
        }
        if (!tools.underWay().enter(shard)) {
            anyUp = true;
            tools.outcomes().unanswered(shard, Silence.FULL, askedAtNs);
            return false;
        }
        boolean isGuest = steps > 1;
        if (isGuest) {
            tools.guests().mayCome(productId, shard);
        }
        long deadlineMs = stock.shard().clock().millis() + NANOSECONDS.toMillis(leftNs());
        String id = isGuest || homeId.isEmpty() ? tools.ids().next(idEnding) : homeId;
        CrashPoint.ATTEMPT_MADE.reached(productId);
        ask(
                stock,
                new Reserve(id, productId, userId, quantity, isGuest, deadlineMs),
                new Asked(shard, askedAtNs));
        return true;
    }

    /** That a shard is asked, and whether it may have heard. */
    private final class Asked {
        private final int shard;
        private final long atNs;
        private boolean sent;
        private boolean isOver;

        Asked(int shard, long atNs) {
            this.shard = shard;
            this.atNs = atNs;
        }

        void over(Word word) {
            if (leave()) {
                tools.outcomes().answered(shard, word, atNs);
            }
        }

        void over(Silence why) {
            if (leave()) {
                tools.outcomes().unanswered(shard, why, atNs);
            }
        }

        /** Nothing of it is on the way any more, as far as this process knows; true: since now. */
        private boolean leave() {
            if (isOver) {
                return false;
            }
            isOver = true;
            tools.underWay().leave(shard);
            return true;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // whatever happens, it ends the walk's own
    private void ask(QuantityStock shard, Reserve wish, Asked asked) {
        long askedAtNs = tools.guests().now();
        shard.reserveAsync(wish).whenComplete((outcome, failure) -> {
            try {
                if (failure == null) {
                    asked.over(outcome.word());
                    heard(outcome, shard.index(), askedAtNs);
                    answered(outcome, wish, shard.index());
                } else {
                    failed(cause(failure), shard, wish, asked);
                }
            } catch (RuntimeException e) {
                asked.over(Silence.FAILED);
                end.completeExceptionally(e);
            }
        });
    }

    private void heard(ReserveOutcome outcome, int shard, long askedAtNs) {
        tools.guests().heard(productId, shard, outcome.mayHaveGuests(), askedAtNs);
        if (outcome.word() == Word.SOLD_OUT || outcome.word() == Word.TAKEN) {
            tools.empties().heard(productId, shard, outcome.isEmpty(), askedAtNs);
        }
    }

    private void answered(ReserveOutcome outcome, Reserve wish, int shard) {
        anyUp |= outcome.word() != Word.NOT_LOADED && outcome.word() != Word.GATED;
        switch (outcome.word()) {
            case TAKEN -> {
                CrashPoint.ATTEMPT_TAKEN.reached(productId);
                tools.listener().taken(shard, wish, outcome.isEmpty());
                end.complete(new Accepted(wish.reservationId()));
            }
            case ALREADY_BOUGHT -> end.complete(AttemptOutcome.alreadyBought(outcome.detail()));
            case SOLD_OUT -> {
                nothingLeft &= outcome.isEmpty();
                step();
            }
            case NOT_LOADED, GATED, DEADLINE_PASSED -> {
                down();
                step();
            }
            case GONE -> end.complete(BUSY); // the next try has a new id
        }
    }

    private void failed(Throwable failure, QuantityStock shard, Reserve wish, Asked asked) {
        asked.sent |= failure instanceof ShardUnknownException;
        if (asked.sent) {
            CrashPoint.ATTEMPT_UNANSWERED.reached(productId);
            anyUp = true; // perhaps
            PAUSE.execute(() -> askAgain(shard, wish, asked));
            return;
        }
        asked.over(withoutWord(failure));
        if (failure instanceof ShardDownException || failure instanceof ShardFullException) {
            anyUp |= failure instanceof ShardFullException || isDamage(failure.getCause());
            down();
            step();
        } else {
            end.completeExceptionally(failure); // after a reply, perhaps of a taken unit
        }
    }

    private static Silence withoutWord(Throwable failure) {
        if (failure instanceof ShardFullException) {
            return Silence.FULL;
        }
        return failure instanceof ShardDownException ? Silence.DOWN : Silence.FAILED;
    }

    /** The shard spoke: what it holds is wrong, and it sells nothing until it is rebuilt. */
    private static boolean isDamage(@Nullable Throwable said) {
        String words = said instanceof JedisDataException ? String.valueOf(said.getMessage()) : "";
        return words.startsWith("DAMAGED") || words.startsWith("WRONGTYPE");
    }

    /** Until nobody knows at the deadline. */
    @SuppressWarnings("FutureReturnValueIgnored") // as above
    private void askAgain(QuantityStock shard, Reserve wish, Asked asked) {
        if (leftNs() > 0) {
            ask(shard, wish, asked);
            return;
        }
        asked.over(Silence.UNKNOWN);
        tools.unknown().unknown(shard.index(), wish).whenComplete((isKept, failure) -> {
            boolean willBeFoundOut = failure == null && isKept;
            end.complete(
                    willBeFoundOut ? new Pending(wish.reservationId()) : AttemptOutcome.unknown());
        });
    }

    static Throwable cause(Throwable failure) {
        @Nullable Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
