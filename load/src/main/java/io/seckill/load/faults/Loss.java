package io.seckill.load.faults;

import io.seckill.contracts.RedisKeys;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;

/** A shard stops and comes back with less than it had; but RESTART, which keeps all. */
enum Loss implements Fault {
    RESTART,
    AOF_CUT,
    OLDER_COPY,
    EMPTY,
    FLUSHALL;

    private static final List<Loss> LOSSES = List.of(AOF_CUT, EMPTY, FLUSHALL);
    private static final int MOST_WRITES = 12; // cut off; some 6 KB

    /** One that loses something, and needs no preparation. */
    static Loss any(RandomGenerator random) {
        return LOSSES.get(random.nextInt(LOSSES.size()));
    }

    @Override
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public Strike prepare(Scene scene) throws IOException {
        return switch (this) {
            case OLDER_COPY -> new OlderCopy(scene, scene.random().nextInt(3) == 0);
            case FLUSHALL -> () -> flush(scene);
            default -> () -> strike(scene);
        };
    }

    /** Where no preparation is needed. */
    long strike(Scene scene) throws IOException, InterruptedException {
        if (this == FLUSHALL) {
            return flush(scene);
        }
        long left = scene.inShard().count("available");
        scene.part().kill();
        long bite = this == RESTART ? left : lose(scene, AppendOnly.of(scene.part()));
        scene.part().start();
        return bite;
    }

    private long lose(Scene scene, AppendOnly data) throws IOException {
        int writes = data.writes(scene.productId());
        if (this == EMPTY) {
            data.delete();
            return writes;
        }
        int lost = Math.min(writes, scene.upTo(MOST_WRITES));
        if (lost > 0) {
            data.cut(scene.productId(), lost);
        }
        return lost;
    }

    private static long flush(Scene scene) {
        try (Jedis redis = Seen.connect(scene.copy(), scene.shard());
                Transaction atOnce = redis.multi()) {
            Response<Long> lost = atOnce.hlen(RedisKeys.reservations(scene.productId()));
            atOnce.sendCommand(Protocol.Command.FLUSHALL, "SYNC");
            atOnce.exec();
            return lost.get();
        }
    }

    /** Taken before the sale was there, or at a moment of it. */
    private static final class OlderCopy implements Strike {

        private final Scene scene;
        private final AppendOnly data;
        private AppendOnly old;
        private final boolean isOfBefore;

        OlderCopy(Scene scene, boolean isOfBefore) throws IOException {
            this.scene = scene;
            this.isOfBefore = isOfBefore;
            data = AppendOnly.of(scene.part());
            old = take();
        }

        private AppendOnly take() throws IOException {
            return data.copyTo(scene.part().folder().resolve("older-copy"));
        }

        @Override
        public long strike() throws IOException, InterruptedException {
            if (!isOfBefore) {
                old = take();
                int writes = old.writes(scene.productId()) + scene.upTo(MOST_WRITES);
                Scene.await(() -> data.writes(scene.productId()) >= writes);
            }
            scene.part().kill();
            int lost = data.writes(scene.productId()) - old.writes(scene.productId());
            old.copyTo(data.folder());
            scene.part().start();
            return lost;
        }

        @Override
        public void close() throws IOException {
            old.delete();
        }
    }
}
