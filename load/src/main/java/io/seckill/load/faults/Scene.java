package io.seckill.load.faults;

import io.seckill.load.copy.RunningCopy;
import io.seckill.load.faults.Seen.InShard;

import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * What a fault works on: one shard of the copy, in the middle of one sale; and what it finds broken
 * meanwhile, in sentences. All chance comes from the seed.
 */
record Scene(
        RunningCopy copy,
        String productId,
        int shard,
        Crowd crowd,
        long seed,
        RandomGenerator random,
        Set<String> broken) {

    private static final long LIMIT_MS = 60_000; // a service starts, on a busy machine
    private static final long PAUSE_MS = 2;

    Part part() {
        return part("shard-" + shard);
    }

    Part part(String name) {
        return new Part(copy, name);
    }

    InShard inShard() {
        return Seen.inShard(copy, shard, productId);
    }

    /** A number from 1 to most. */
    int upTo(int most) {
        return 1 + random.nextInt(most);
    }

    void pauseUpTo(int ms) throws InterruptedException {
        Thread.sleep(upTo(ms));
    }

    /** False when it does not come true: then the fault comes too late to bite. */
    static boolean await(BooleanSupplier what) throws InterruptedException {
        long untilMs = System.currentTimeMillis() + LIMIT_MS;
        while (!what.getAsBoolean()) {
            if (System.currentTimeMillis() > untilMs) {
                return false;
            }
            Thread.sleep(PAUSE_MS);
        }
        return true;
    }
}
