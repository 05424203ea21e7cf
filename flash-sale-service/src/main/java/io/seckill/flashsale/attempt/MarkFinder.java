package io.seckill.flashsale.attempt;

import io.seckill.contracts.Placement;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;
import org.springframework.stereotype.Component;

/**
 * Finds the reservations that a user holds, in whichever shards: one, but for a race between two.
 *
 * <p>A shard that did not answer is left out for a moment: else every request would wait out the
 * time limit of one sick shard, and all threads with it.
 */
@Component
public final class MarkFinder {

    private static final long LEFT_OUT_NS = Duration.ofMillis(500).toNanos();

    private final QuantityStocks shards;
    private final AtomicLongArray leftOutUntilNs;

    MarkFinder(QuantityStocks shards) {
        this.shards = shards;
        leftOutUntilNs = new AtomicLongArray(
                LongStream.generate(System::nanoTime).limit(shards.all().size()).toArray());
    }

    /** A reservation and the shard that keeps it. */
    public record Mark(QuantityStock shard, String reservationId) {}

    /** {@code complete}: every shard answered, so that what is not found is nowhere. */
    public record Found(List<Mark> marks, boolean complete) {}

    /** Asks the shards in their order; a recovering one may hold more than it knows. */
    public Found find(List<Placement> placements, String productId, String userId) {
        List<Mark> marks = new ArrayList<>();
        boolean complete = true;
        for (Placement placement : placements) {
            if (placement.state() == Placement.State.RETIRED) {
                continue;
            }
            QuantityStock shard = shards.get(placement.shard());
            if (placement.state() == Placement.State.RECOVERING
                    || System.nanoTime() - leftOutUntilNs.get(shard.index()) < 0) {
                complete = false;
                continue;
            }
            try {
                shard.holder(productId, userId).ifPresent(id -> marks.add(new Mark(shard, id)));
            } catch (ShardDownException | ShardUnknownException e) {
                leftOutUntilNs.set(shard.index(), System.nanoTime() + LEFT_OUT_NS);
                complete = false;
            }
        }
        return new Found(marks, complete);
    }
}
