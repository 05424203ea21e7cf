package io.seckill.flashsale.attempt;

import io.seckill.contracts.Refusal;

import java.util.concurrent.CompletableFuture;

/** Told of each attempt of this process that no shard of its sale could be asked for. */
@FunctionalInterface
public interface AllDownListener {

    /** Keeps nothing. */
    AllDownListener NOBODY =
            wish -> CompletableFuture.completedFuture(AttemptOutcome.refused(Refusal.BUSY));

    /**
     * What a user wants, and the id that it has from now on.
     *
     * @param idEnding what more ids end in
     * @param endAtMs by this host's clock, from when on it may not be made any more
     */
    record Wish(
            String productId,
            String userId,
            String reservationId,
            int quantity,
            String idEnding,
            long endAtMs) {}

    /** Pending once it is kept and will be made; BUSY: it is not. Never blocks. */
    CompletableFuture<AttemptOutcome> allDown(Wish wish);
}
