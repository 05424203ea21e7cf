package io.seckill.stock.query;

import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * Messages in RocketMQ that their consumers have not acknowledged, of all products; empty: unknown,
 * for the broker could not be asked.
 */
record Queued(OptionalLong reservationMessages, OptionalLong returnMessages) {

    static final Queued UNKNOWN = new Queued(OptionalLong.empty(), OptionalLong.empty());

    static Queued of(long reservationMessages, long returnMessages) {
        return new Queued(OptionalLong.of(reservationMessages), OptionalLong.of(returnMessages));
    }

    boolean isKnown() {
        return reservationMessages.isPresent() && returnMessages.isPresent();
    }

    /** The more that was seen of each; unknown once is unknown. */
    Queued max(Queued other) {
        return new Queued(
                max(reservationMessages, other.reservationMessages),
                max(returnMessages, other.returnMessages));
    }

    private static OptionalLong max(OptionalLong a, OptionalLong b) {
        return a.isEmpty() || b.isEmpty()
                ? OptionalLong.empty()
                : LongStream.of(a.getAsLong(), b.getAsLong()).max();
    }
}
