package io.seckill.order.booking;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The right to make the order numbers of one worker in a span of milliseconds that no other
 * instance has, had or will get.
 *
 * <p>What stays true, whatever is killed, paused or set back: the spans of one worker do not
 * overlap. Each is a row of the database and by its clock: it begins where that clock has passed
 * the end of the one before, and grows as long as nobody else has taken the worker. An instance
 * that slept for longer than its span finds itself, by its own count of the time since it asked,
 * beyond the span and asks anew, or still within it; either way its numbers are not those of who
 * has the worker now. So the clocks of hosts decide nothing.
 *
 * <p>Where the database's clock has gone back behind numbers that were made, and where somebody
 * else has the worker, another one is taken: none whose span that clock has still to pass. {@link
 * #WORKERS} have one at once; who finds none left makes no numbers, and one is left again {@link
 * #LENGTH} after an instance was last asked for numbers. Nothing is given back at the end.
 */
@Component
final class WorkerLease {

    /** Numbered from 0: two digits of an order number. */
    static final int WORKERS = 100;

    static final Duration LENGTH = Duration.ofSeconds(10);

    private static final int NONE = -1;
    private static final long LENGTH_MS = LENGTH.toMillis();

    /** The count of the time may be ahead of the database's clock by so much. */
    private static final long DRIFT_MS = 1_000;

    private final WorkerMapper workers;
    private final DatabaseClock clock;
    private final LongSupplier nanos;
    private final String owner = UUID.randomUUID().toString().replace("-", "");
    private Row row = new Row(NONE, 0, 0);
    private long askedMs; // the database's time when it was asked last,
    private long askedNs; // and what was counted then

    @Autowired
    WorkerLease(WorkerMapper workers, DatabaseClock clock) {
        this(workers, clock, System::nanoTime);
    }

    WorkerLease(WorkerMapper workers, DatabaseClock clock, LongSupplier nanos) {
        this.workers = workers;
        this.clock = clock;
        this.nanos = nanos;
    }

    private record Row(int worker, long fromMs, long untilMs) {}

    /** Numbers may be made from {@code fromMs} on and before {@code untilMs}; it is now. */
    record Span(int worker, long fromMs, long untilMs, long nowMs) {}

    /**
     * The span to make numbers in, after some that go as far as {@code madeMs}; asks the database
     * when half of it is over. Throws when that is away or no worker is left.
     */
    synchronized Span span(long madeMs) {
        if (row.worker() == NONE || nowMs() >= row.untilMs() - LENGTH_MS / 2) {
            renew(madeMs);
        }
        return new Span(row.worker(), row.fromMs(), row.untilMs(), nowMs());
    }

    /** Other instances that have made numbers in the last {@link #LENGTH}. Asks the database. */
    int others() {
        return workers.others(owner, clock.millis());
    }

    private long nowMs() {
        return askedMs + TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - askedNs);
    }

    private void renew(long madeMs) {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("what is taken back must not have been used");
        }
        long databaseMs = clock.millis();
        long countedNs = nanos.getAsLong();
        boolean wentBack = databaseMs + DRIFT_MS < madeMs;
        long untilMs = databaseMs + LENGTH_MS;
        row = !wentBack && workers.extend(row.worker(), owner, untilMs)
                ? new Row(row.worker(), row.fromMs(), untilMs)
                : take(databaseMs, untilMs);
        askedMs = databaseMs;
        askedNs = countedNs;
    }

    private Row take(long databaseMs, long untilMs) {
        Set<Integer> taken = workers.taken(databaseMs);
        int worker = IntStream.range(0, WORKERS)
                .filter(one -> !taken.contains(one) && take(one, databaseMs, untilMs))
                .findFirst()
                .orElseThrow(() -> new TransientDataAccessResourceException(
                        "all " + WORKERS + " workers of the table order_worker are taken"));
        return new Row(worker, databaseMs, untilMs);
    }

    private boolean take(int worker, long databaseMs, long untilMs) {
        workers.add(worker);
        return workers.take(worker, owner, databaseMs, untilMs);
    }
}
