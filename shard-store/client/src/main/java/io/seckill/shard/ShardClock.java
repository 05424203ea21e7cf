package io.seckill.shard;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What time it is in a shard, as far as this process knows.
 *
 * <p>A deadline is compared with the shard's own clock, which may be ahead of this host's or behind
 * it. So the shard is asked for its time when a connection is made and each second from then on, and
 * what has passed since is counted by this process's monotonic clock: steps of the host's clock
 * change nothing. A reading is wrong by half its round trip at most. The more exact one is kept, as
 * long as the two agree; an older one gets less exact with its age, and one that contradicts is of a
 * clock that was set: it is believed at once. Until the first reading the host's clock is believed.
 */
public final class ShardClock {

    /** Clocks drift apart by less than 0.5 ms in a second. */
    private static final long DRIFT_PARTS = 2_000;

    private volatile @Nullable Reading best;

    /** The shard's time at one instant, by the clock of System.nanoTime. */
    private record Reading(long shardNs, long atNs, long errorNs) {

        long shardNsAt(long nowNs) {
            return shardNs + (nowNs - atNs);
        }

        long errorNsAt(long nowNs) {
            return errorNs + (nowNs - atNs) / DRIFT_PARTS;
        }

        boolean agreesWith(Reading later) {
            return Math.abs(shardNsAt(later.atNs) - later.shardNs)
                    <= errorNsAt(later.atNs) + later.errorNs;
        }
    }

    /** The shard's answer to a question, and when that was asked and answered. */
    void heard(long shardUs, long askedNs, long answeredNs) {
        long errorNs = (answeredNs - askedNs) / 2;
        Reading heard =
                new Reading(TimeUnit.MICROSECONDS.toNanos(shardUs), askedNs + errorNs, errorNs);
        Reading known = best;
        if (known == null
                || heard.errorNs <= known.errorNsAt(heard.atNs)
                || !known.agreesWith(heard)) {
            best = heard;
        }
    }

    /** Milliseconds since 1970 by the shard's clock. */
    public long millis() {
        return millisAt(System.nanoTime());
    }

    long millisAt(long nowNs) {
        Reading known = best;
        return known == null
                ? System.currentTimeMillis()
                : TimeUnit.NANOSECONDS.toMillis(known.shardNsAt(nowNs));
    }
}
