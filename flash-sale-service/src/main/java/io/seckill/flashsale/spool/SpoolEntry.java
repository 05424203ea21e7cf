package io.seckill.flashsale.spool;

import io.seckill.contracts.Refusal;
import io.seckill.flashsale.FlashSaleProperties;
import io.seckill.flashsale.attempt.AllDownListener;
import io.seckill.flashsale.attempt.AttemptOutcome;
import io.seckill.flashsale.query.ResultStore;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Takes an attempt into the spool. Its buyer is told PENDING once it is on the disk, and, while the
 * control Redis is there, once whoever polls through any instance is told so too; while it is away
 * results are BUSY anyway, and {@link SpoolReplay} writes it later.
 */
@Component
final class SpoolEntry implements AllDownListener {

    private static final AttemptOutcome BUSY = AttemptOutcome.refused(Refusal.BUSY);

    private final Spool spool;
    private final ResultStore results;
    private final Clock clock;
    private final Duration keep;

    SpoolEntry(Spool spool, ResultStore results, Clock clock, FlashSaleProperties properties) {
        this.spool = spool;
        this.results = results;
        this.clock = clock;
        keep = properties.spoolKeep();
    }

    @Override
    public CompletableFuture<AttemptOutcome> allDown(Wish wish) {
        long expiresAtMs = Math.min(clock.millis() + keep.toMillis(), wish.endAtMs());
        return spool.keep(Spooled.of(wish, expiresAtMs))
                .thenCompose(this::told)
                .exceptionally(SpoolEntry::refused);
    }

    private CompletableFuture<AttemptOutcome> told(Spooled kept) {
        return results.storeSpooled(
                        kept.productId(), kept.userId(), kept.reservationId(), kept.expiresAtMs())
                .thenApply(isTold -> isTold ? Told.YES : Told.MAY_NOT)
                .exceptionally(failure -> Told.LATER)
                .thenCompose(told -> told(kept, told));
    }

    private enum Told {
        YES,
        /** The sale was removed, or too many are in spools. */
        MAY_NOT,
        LATER
    }

    private CompletableFuture<AttemptOutcome> told(Spooled kept, Told told) {
        if (told == Told.MAY_NOT) {
            return spool.remove(kept, "NOT_KEPT").thenApply(removed -> BUSY);
        }
        if (told == Told.YES) {
            spool.copy().told(kept);
        }
        return CompletableFuture.completedFuture(new AttemptOutcome.Pending(kept.reservationId()));
    }

    private static AttemptOutcome refused(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof NotKeptException why) {
            return why.isUnknown() ? AttemptOutcome.unknown() : BUSY;
        }
        throw new CompletionException(cause);
    }
}
