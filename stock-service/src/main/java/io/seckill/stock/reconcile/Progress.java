package io.seckill.stock.reconcile;

import java.util.ArrayDeque;
import java.util.OptionalLong;

/**
 * Up to when all reservations have surely met order-service.
 *
 * <p>order-service says how long those that wait now will take; once so long has passed, whatever
 * was made before is written or was lost. While it says nothing, nothing moves.
 */
final class Progress {

    /** Estimates that are waited out: an hour of one per second. Later ones are left out. */
    private static final int MAX_WAITING = 3_600;

    private record Estimate(long atMs, long dueMs) {}

    private final ArrayDeque<Estimate> waiting = new ArrayDeque<>();
    private long metUntilMs;

    /** The time before which all are written; 0 when that is not known. */
    long metUntil(long nowMs, OptionalLong waitMs) {
        if (waitMs.isPresent() && waiting.size() < MAX_WAITING) {
            long dueMs = nowMs + waitMs.getAsLong();
            while (!waiting.isEmpty() && waiting.getLast().dueMs() >= dueMs) {
                waiting.removeLast(); // what waited then waits no longer than this
            }
            waiting.add(new Estimate(nowMs, dueMs));
        }
        while (!waiting.isEmpty() && waiting.element().dueMs() <= nowMs) {
            metUntilMs = waiting.remove().atMs();
        }
        return metUntilMs;
    }
}
