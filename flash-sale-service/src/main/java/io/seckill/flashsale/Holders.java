package io.seckill.flashsale;

import io.seckill.shard.Shard;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.shard.Shards;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import org.springframework.stereotype.Component;

/**
 * Finds the reservation that a user holds, in whichever shard.
 *
 * <p>A shard that did not answer is left out for a moment: else every request would wait out the
 * time limit of one sick shard, and all threads with it.
 */
@Component
final class Holders {

    private static final long LEFT_OUT_MS = 500;

    private final Clock clock;
    private final AtomicLongArray leftOutUntilMs;

    Holders(Shards shards, Clock clock) {
        this.clock = clock;
        leftOutUntilMs = new AtomicLongArray(shards.all().size());
    }

    /** {@code complete}: every shard answered, so that "none" means none. */
    record Found(Optional<String> reservationId, boolean complete) {}

    /** Asks the shards in their order, up to the first that knows the user. */
    Found find(List<Shard> shards, String productId, String userId) {
        boolean complete = true;
        for (Shard shard : shards) {
            if (clock.millis() < leftOutUntilMs.get(shard.index())) {
                complete = false;
                continue;
            }
            try {
                Optional<String> held = shard.holder(productId, userId);
                if (held.isPresent()) {
                    return new Found(held, complete);
                }
            } catch (ShardDownException | ShardUnknownException e) {
                leftOutUntilMs.set(shard.index(), clock.millis() + LEFT_OUT_MS);
                complete = false;
            }
        }
        return new Found(Optional.empty(), complete);
    }
}
