package io.seckill.stock.recovery;

import io.seckill.common.message.Backlog;
import io.seckill.contracts.Reservation;
import io.seckill.quantity.ShardState;

import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How long a part that lost something is left alone before it is rebuilt: until what its shard had
 * handed over has become orders, so that their buyers keep them; no longer than the limit, but for
 * as long as the broker does not say what waits there.
 *
 * <p>The books need none of it: what comes later is rejected, and its buyer told.
 */
final class Drain {

    private static final long FRESH_MS = 500;

    private final Backlog backlog;
    private final Duration limit;
    private final Clock clock;
    private final Map<String, Long> untilMs = new HashMap<>(); // by part and epoch
    private OptionalLong queued = OptionalLong.empty();
    private long askedAtMs;

    Drain(Backlog backlog, Duration limit, Clock clock) {
        this.backlog = backlog;
        this.limit = limit;
        this.clock = clock;
    }

    boolean isOver(Part part, ShardState found) {
        long nowMs = clock.millis();
        if (queued(nowMs).isEmpty()) {
            untilMs.remove(key(part));
            return false;
        }
        long endMs = untilMs.computeIfAbsent(key(part), first -> nowMs + limit.toMillis());
        return nowMs >= endMs || (found.outboxLength() == 0 && queued.getAsLong() == 0);
    }

    /** The same for all parts of a turn: an answer may take seconds. */
    private OptionalLong queued(long nowMs) {
        if (Math.abs(nowMs - askedAtMs) > FRESH_MS) {
            queued = backlog.of(Reservation.TOPIC, Reservation.GROUP);
            askedAtMs = clock.millis();
        }
        return queued;
    }

    /** The others need none at present; their next one begins anew. */
    void keepOnly(Collection<Part> parts) {
        untilMs.keySet().retainAll(parts.stream().map(Drain::key).toList());
    }

    private static String key(Part part) {
        return part.shard() + " " + part.productId() + " " + part.epoch();
    }

    @Override
    public String toString() {
        return limit.toSeconds() + " s at most once the broker answers";
    }
}
