package io.seckill.stock.recovery;

import io.seckill.quantity.ShardState;
import io.seckill.stock.recovery.ShardView.Gate;
import io.seckill.stock.recovery.ShardView.State;

import org.jspecify.annotations.Nullable;

/**
 * A part of a sale and what its shard answered.
 *
 * @param answer null: nothing
 * @param failure why there is none
 */
record Found(Part part, @Nullable ShardState answer, String failure) {

    private static final String UNVERIFIED = "it is another Redis, not yet compared with the books";

    State state() {
        if (answer == null) {
            return State.AWAY;
        }
        return part.isOpen(answer) ? State.OPEN : State.CLOSED;
    }

    boolean isClosed() {
        return state() == State.CLOSED;
    }

    @Nullable
    Gate gate() {
        return answer == null ? null : new Gate(answer.openFor(), answer.identity());
    }

    /** It is CLOSED; without the returns, which only the one who recovers counts. */
    String why() {
        return answer == null || !isClosed()
                ? ""
                : part.objection(answer, () -> 0).orElse(UNVERIFIED);
    }
}
