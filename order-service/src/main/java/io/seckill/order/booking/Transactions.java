package io.seckill.order.booking;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs work in one transaction, again from its start when the database chose it as the victim.
 *
 * <p>A deadlock (1213) has rolled the transaction back; a lock wait that ended (1205) has rolled
 * back only its statement, so the template's rollback is what undoes the rest. Both are tried
 * {@link #MAX_TRIES} times in all, with jitter; any other failure, or the last of these, is the
 * caller's. A connection lost in COMMIT is such a failure: its outcome is unknown and the caller
 * asks the rows.
 */
public final class Transactions {

    private static final int MAX_TRIES = 4;
    private static final long MAX_JITTER_MS = 50;
    private static final Set<Integer> VICTIM = Set.of(1213, 1205);

    private final TransactionTemplate template;
    private final LongConsumer pause;

    Transactions(TransactionTemplate template, LongConsumer pause) {
        this.template = template;
        this.pause = pause;
    }

    public <T> T call(Supplier<T> work) {
        for (int tries = 1; ; tries++) {
            try {
                return template.execute(status -> work.get());
            } catch (DataAccessException e) {
                if (tries == MAX_TRIES || !isVictim(e)) {
                    throw e;
                }
                pause.accept(ThreadLocalRandom.current().nextLong(1, MAX_JITTER_MS));
            }
        }
    }

    public void run(Runnable work) {
        call(() -> {
            work.run();
            return null;
        });
    }

    private static boolean isVictim(DataAccessException e) {
        return NestedExceptionUtils.getMostSpecificCause(e) instanceof SQLException cause
                && VICTIM.contains(cause.getErrorCode());
    }
}
