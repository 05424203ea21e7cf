package io.seckill.order.booking;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * How many orders a second this instance could write if no limit held it back: the best of its
 * latest {@link #KEPT} large landings, on every thread.
 *
 * <p>The best, for a database that hung once is not slow; one that is slow has no fast landing left
 * after some. Small batches tell nothing: what a commit costs is shared by few.
 */
@Component
final class LandingSpeed {

    /** Batches that land at once. */
    static final int THREADS = 2;

    static final int KEPT = 16;

    /** Rows of a landing that tells something. */
    static final int LARGE = 64;

    private final Deque<Long> latest = new ArrayDeque<>(); // orders a second, one thread each

    synchronized void landed(int rows, long tookNs) {
        if (rows >= LARGE) {
            if (latest.size() == KEPT) {
                latest.removeFirst();
            }
            latest.addLast(rows * TimeUnit.SECONDS.toNanos(1) / Math.max(1, tookNs));
        }
    }

    /** As many as there is no limit for, until enough was seen. */
    synchronized long perSecond() {
        return latest.size() < KEPT
                ? Integer.MAX_VALUE
                : THREADS * latest.stream().mapToLong(Long::longValue).max().orElseThrow();
    }
}
