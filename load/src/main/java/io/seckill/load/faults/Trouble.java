package io.seckill.load.faults;

import io.seckill.contracts.RedisKeys;
import io.seckill.load.faults.Seen.InShard;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ClientKillParams;

/** A shard does not do what it should for a while; but HAND_EDIT, which lasts until it is mended. */
enum Trouble implements Fault {
    HUNG,
    SLOW,
    REPLIES_LOST,
    SCRIPTS_FORGOTTEN,
    OUT_OF_MEMORY,
    DISK_FULL,
    FLAPPING,
    ALL_DOWN,
    HAND_EDIT;

    private static final int TIMES = 20;
    private static final int FLAPS = 4;
    private static final int LONG_MS = 30_000;
    private static final int SHORT_MS = 1_000;
    private static final int ROOM = 4_096; // bytes
    private static final int END_LIMIT_S = 10;
    private static final String FAR_EPOCH = "999999999";
    private static final String NEAR_EPOCH = "[1-9]\\d{0,5}";

    @Override
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public Strike prepare(Scene scene) {
        return () -> {
            long left = scene.inShard().count("available");
            long bite = strike(scene);
            return left == 0 && this != HAND_EDIT ? 0 : bite;
        };
    }

    private long strike(Scene scene) throws IOException, InterruptedException {
        return switch (this) {
            case HUNG -> hang(scene);
            case SLOW -> again(scene, redis -> pause(redis, scene.upTo(SHORT_MS / 5)));
            case REPLIES_LOST -> again(scene, Trouble::cutOff);
            case SCRIPTS_FORGOTTEN -> again(scene, Trouble::forget);
            case OUT_OF_MEMORY -> fill(scene);
            case DISK_FULL -> fillDisk(scene);
            case FLAPPING -> flap(scene);
            case ALL_DOWN -> kill(scene);
            case HAND_EDIT -> edit(scene);
        };
    }

    /** For 1 s or, in a third of the rounds, 30 s: longer than anybody waits for an answer. */
    private static long hang(Scene scene) throws IOException, InterruptedException {
        scene.part().hang(scene.upTo(3) == 1 ? LONG_MS : SHORT_MS);
        return 1;
    }

    /** Something that is done to the Redis; how much it bit. */
    private interface Deed {
        long to(Jedis redis);
    }

    private static long again(Scene scene, Deed deed) throws InterruptedException {
        long bite = 0;
        try (Jedis redis = Seen.connect(scene.copy(), scene.shard())) {
            for (int n = 0; n < TIMES; n++) {
                bite += deed.to(redis);
                scene.pauseUpTo(SHORT_MS / 5);
            }
        }
        return bite;
    }

    /** It answers nobody for so long. */
    private static long pause(Jedis redis, int ms) {
        redis.clientPause(ms);
        return 1;
    }

    /** What was sent may have been done; nobody hears so. */
    private static long cutOff(Jedis redis) {
        return redis.clientKill(
                new ClientKillParams().type(ClientType.NORMAL).skipMe(ClientKillParams.SkipMe.YES));
    }

    private static long forget(Jedis redis) {
        redis.scriptFlush();
        return 1;
    }

    /** No script that writes runs for 1 s. */
    private static long fill(Scene scene) throws InterruptedException {
        try (Jedis redis = Seen.connect(scene.copy(), scene.shard())) {
            String before = redis.configGet("maxmemory").get("maxmemory");
            redis.configSet("maxmemory", "1");
            try {
                Thread.sleep(SHORT_MS);
            } finally {
                redis.configSet("maxmemory", before);
            }
        }
        return 1;
    }

    /**
     * Its files may grow by so many bytes and no more. As on a full disk the last write is cut in
     * the middle, and a Redis that must have its writes on disk ends with it. Needs no root.
     */
    private static long fillDisk(Scene scene) throws IOException, InterruptedException {
        Part part = scene.part();
        String limit = "--fsize=%d:".formatted(AppendOnly.of(part).size() + scene.upTo(ROOM));
        String pid = Files.readString(part.pidFile()).strip();
        Part.run("prlimit", "--pid", pid, limit);
        if (!part.awaitEnd(END_LIMIT_S)) {
            Part.run("prlimit", "--pid", pid, "--fsize=unlimited:");
            return 0; // nobody wanted so much more
        }
        part.start();
        return 1;
    }

    private static long flap(Scene scene) throws IOException, InterruptedException {
        for (int n = 0; n < FLAPS; n++) {
            scene.part().kill();
            scene.part().start();
            scene.pauseUpTo(SHORT_MS);
        }
        return FLAPS;
    }

    private static long kill(Scene scene) throws IOException, InterruptedException {
        List<Part> all = IntStream.range(0, scene.copy().shards().size())
                .mapToObj(shard -> scene.part("shard-" + shard))
                .toList();
        for (Part part : all) {
            part.kill();
        }
        scene.pauseUpTo(SHORT_MS);
        for (Part part : all) {
            part.start();
        }
        return all.size();
    }

    /** What a person with redis-cli might leave behind; returns when it is mended. */
    private static long edit(Scene scene) throws InterruptedException {
        String product = scene.productId();
        String stock = RedisKeys.stock(product);
        try (Jedis redis = Seen.connect(scene.copy(), scene.shard());
                Transaction atOnce = redis.multi()) {
            switch (scene.upTo(9)) {
                case 1 -> atOnce.hset(stock, "available", "5.0");
                case 2 -> atOnce.hset(stock, "epoch", "01");
                case 3 -> atOnce.hincrBy(stock, "available", 1);
                case 4 -> atOnce.hdel(stock, "deducted");
                case 5 -> wrongType(atOnce, stock);
                case 6 -> wrongType(atOnce, RedisKeys.buyers(product));
                case 7 -> wrongType(atOnce, RedisKeys.reservations(product));
                case 8 -> atOnce.hset(stock, "epoch", FAR_EPOCH);
                default -> wrongType(atOnce, RedisKeys.outbox(product));
            }
            atOnce.exec();
        }
        return Scene.await(() -> isSound(scene)) ? 1 : 0;
    }

    private static boolean isSound(Scene scene) {
        try {
            InShard held = scene.inShard();
            return held.isWhole()
                    && held.stock().getOrDefault("epoch", "0").matches(NEAR_EPOCH)
                    && Verdict.ofShard("", held).isEmpty();
        } catch (JedisDataException | NumberFormatException e) {
            return false;
        }
    }

    private static void wrongType(Transaction atOnce, String key) {
        atOnce.sendCommand(Protocol.Command.SET, key, "by hand");
    }
}
