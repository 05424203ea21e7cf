package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs work in one transaction, again from its start when the database chose it as the victim of a
 * deadlock: {@link #MAX_RETRIES} times, with jitter.
 *
 * <p>Any other failure, or the last of these, is the caller's. A wait for a lock that ended is:
 * it took seconds and the next one would, too. It has rolled back only its statement; the
 * template's rollback undoes the rest. So is a connection lost in COMMIT, whose outcome is unknown:
 * the caller asks the rows.
 */
@Component
public final class Transactions {

    private static final int MAX_RETRIES = 3;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
    private static final Duration JITTER = Duration.ofMillis(49);
    private static final int DEADLOCK = 1213;
    private static final int LOCK_WAIT = 1205;

    private final TransactionTemplate template;
    private final RetryTemplate retries = new RetryTemplate(RetryPolicy.builder()
            .maxRetries(MAX_RETRIES)
            .delay(SHORTEST_PAUSE)
            .jitter(JITTER)
            .predicate(e -> isError(e, DEADLOCK))
            .build());

    Transactions(TransactionTemplate template) {
        this.template = template;
    }

    public <T> T call(Supplier<T> work) {
        return retries.invoke(() -> template.execute(status -> work.get()));
    }

    /** As {@link #call}, but a victim is the caller's. */
    public <T> T once(Supplier<T> work) {
        return requireNonNull(template.execute(status -> work.get()));
    }

    /** As {@link #call}; what answers false is rolled back. */
    boolean attempt(BooleanSupplier work) {
        return retries.invoke(() -> template.execute(status -> {
            boolean done = work.getAsBoolean();
            if (!done) {
                status.setRollbackOnly();
            }
            return done;
        }));
    }

    /** Within a transaction: what is done when it is committed, and not when it is taken back. */
    static void afterCommit(Runnable task) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                task.run();
            }
        });
    }

    /** A deadlock, or a wait for a lock that ended. */
    public static boolean isVictim(Throwable e) {
        return isError(e, DEADLOCK) || isLockWait(e);
    }

    /** A wait for a lock that ended. */
    static boolean isLockWait(Throwable e) {
        return isError(e, LOCK_WAIT);
    }

    private static boolean isError(Throwable e, int code) {
        return NestedExceptionUtils.getMostSpecificCause(e) instanceof SQLException cause
                && cause.getErrorCode() == code;
    }
}
