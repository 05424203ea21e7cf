package io.seckill.load.faults;

import java.util.stream.IntStream;

/**
 * The shard loses something while the broker or the database is away: it may sell nothing until
 * that is back, and the others sell on.
 */
record PartAway(String part) implements Fault {

    private static final int AWAY_MS = 4_000;

    @Override
    public String title() {
        return part.equals("mariadb") ? "database-away" : part + "-away";
    }

    @Override
    public Strike prepare(Scene scene) {
        return () -> strike(scene);
    }

    private long strike(Scene scene) throws Exception {
        Part away = scene.part(part);
        away.kill();
        long bite = Loss.any(scene.random()).strike(scene);
        long sinceMs = System.currentTimeMillis();
        Thread.sleep(AWAY_MS);
        check(scene, sinceMs);
        away.start();
        return bite;
    }

    private void check(Scene scene, long sinceMs) {
        long own = scene.inShard().since(sinceMs);
        if (own > 0) {
            scene.broken().add("shard " + scene.shard() + " sold " + own + " before it was mended");
        }
        var others = IntStream.range(0, scene.copy().shards().size())
                .filter(shard -> shard != scene.shard())
                .mapToObj(shard -> Seen.inShard(scene.copy(), shard, scene.productId()))
                .toList();
        if (others.stream().allMatch(held -> held.since(sinceMs) == 0)
                && others.stream().anyMatch(held -> held.count("available") > 0)) {
            scene.broken().add("the other shards sold nothing while the " + part + " was away");
        }
    }
}
