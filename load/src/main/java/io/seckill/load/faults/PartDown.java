package io.seckill.load.faults;

import java.io.IOException;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The database or the broker stops for some seconds of the rush while all shards are well: they sell
 * on, and what they sold becomes orders once that part is back.
 */
enum PartDown implements Fault {
    DATABASE_KILLED("mariadb"),
    DATABASE_HUNG("mariadb"),
    BROKER_KILLED("broker");

    private static final int LEAST_MS = 1_000;
    private static final int MORE_MS = 7_000;

    private final String part;

    PartDown(String part) {
        this.part = part;
    }

    @Override
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public boolean needsRush() {
        return true;
    }

    @Override
    public Strike prepare(Scene scene) {
        int forMs = LEAST_MS + scene.upTo(MORE_MS);
        return () -> strike(scene, forMs);
    }

    /** Reservations that were taken meanwhile. */
    private long strike(Scene scene, int forMs) throws IOException, InterruptedException {
        long sinceMs = System.currentTimeMillis();
        if (this == DATABASE_HUNG) {
            scene.part(part).hang(forMs);
            return takenSince(scene, sinceMs);
        }
        scene.part(part).kill();
        Thread.sleep(forMs);
        long bite = takenSince(scene, sinceMs);
        scene.part(part).start();
        return bite;
    }

    private static long takenSince(Scene scene, long sinceMs) {
        return IntStream.range(0, scene.copy().shards().size())
                .mapToObj(shard -> Seen.inShard(scene.copy(), shard, scene.productId()))
                .mapToLong(held -> held.since(sinceMs))
                .sum();
    }
}
