package io.seckill.flashsale.attempt;

import io.seckill.contracts.Placement;
import io.seckill.quantity.Ended;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * Finds the reservations that a user holds, in whichever shards: one, but for a race between two.
 *
 * <p>All shards are asked at once, no thread waits, and no request waits for more than {@link
 * #PATIENCE_MS}. One that was silent is not asked until it answers ({@link
 * io.seckill.shard.Pipeline}): nobody waits out its time limit again.
 */
@Component
public final class MarkFinder {

    private static final long PATIENCE_MS = 200;

    private static final CompletableFuture<Found> NOWHERE =
            CompletableFuture.completedFuture(Found.NOTHING);

    private final QuantityStocks shards;
    private final Guests guests;

    MarkFinder(QuantityStocks shards, Guests guests) {
        this.shards = shards;
        this.guests = guests;
    }

    /** A reservation and the shard that keeps it. */
    public record Mark(QuantityStock shard, String reservationId) {}

    /**
     * What the shards that were asked said.
     *
     * @param ended how the last reservation ended that the user held, one per shard that holds none;
     *     a shard that was asked twice says it twice
     * @param complete every one answered, so that what is not found is nowhere
     * @param nothingLeft every one answered that it holds no unit for sale
     */
    public record Found(
            List<Mark> marks, List<Ended> ended, boolean complete, boolean nothingLeft) {

        private static final Found NOTHING = new Found(List.of(), List.of(), true, true);
        private static final Found NOBODY_KNOWS = new Found(List.of(), List.of(), false, false);

        private Found and(Found other) {
            if (other.equals(NOTHING)) {
                return this;
            }
            return new Found(
                    both(marks, other.marks),
                    both(ended, other.ended),
                    complete && other.complete,
                    nothingLeft && other.nothingLeft);
        }

        private static <T> List<T> both(List<T> some, List<T> others) {
            List<T> both = new ArrayList<>(some);
            both.addAll(others);
            return both;
        }
    }

    /**
     * Asks the home shard and those where the user may be a guest, at once; whoever is found in
     * none of them is looked for everywhere, for another instance may have sent a first guest just
     * now.
     */
    public CompletableFuture<Found> find(List<Placement> ring, String productId, String userId) {
        return find(ring.get(0), productId, userId)
                .thenCombine(findAway(ring, productId, userId), Found::and)
                .thenCompose(found -> found.marks().isEmpty()
                        ? findAt(ring, productId, userId)
                        : CompletableFuture.completedFuture(found));
    }

    /** Asks, but for the home shard, those where the user may be a guest. */
    CompletableFuture<Found> findAway(List<Placement> ring, String productId, String userId) {
        return findAt(guests.places(ring, productId, guests.now()), productId, userId);
    }

    /** A recovering shard may hold more than it knows. */
    CompletableFuture<Found> findAt(List<Placement> placements, String productId, String userId) {
        CompletableFuture<Found> all = NOWHERE;
        for (Placement placement : placements) {
            all = all.thenCombine(find(placement, productId, userId), Found::and);
        }
        return all;
    }

    private CompletableFuture<Found> find(Placement placement, String productId, String userId) {
        return switch (placement.state()) {
            case OPEN -> find(shards.get(placement.shard()), productId, userId);
            case RECOVERING -> CompletableFuture.completedFuture(Found.NOBODY_KNOWS);
            case RETIRED -> NOWHERE;
        };
    }

    private CompletableFuture<Found> find(QuantityStock shard, String productId, String userId) {
        if (shard.shard().isLeftOut()) {
            return CompletableFuture.completedFuture(Found.NOBODY_KNOWS);
        }
        long askedAtNs = guests.now();
        CompletableFuture<Found> found = shard.markAsync(productId, userId)
                .handle((mark, failure) -> {
                    if (failure != null || mark.isGated()) {
                        return Found.NOBODY_KNOWS;
                    }
                    guests.heard(productId, shard.index(), mark.mayHaveGuests(), askedAtNs);
                    return new Found(
                            mark.reservationId().stream()
                                    .map(id -> new Mark(shard, id))
                                    .toList(),
                            mark.ended().stream().toList(),
                            true,
                            mark.isEmpty());
                });
        return found.completeOnTimeout(Found.NOBODY_KNOWS, PATIENCE_MS, TimeUnit.MILLISECONDS);
    }
}
