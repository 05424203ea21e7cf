package io.seckill.load.faults;

import io.seckill.load.faults.Seen.InShard;

import java.util.stream.IntStream;

/**
 * The shard loses something while the broker or the database is away: it may sell nothing until
 * that is back, and the others sell on. But what nobody has heard of no books can miss: a shard that
 * lost only such reservations is opened as it is, which takes the database.
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
        long epoch = scene.inShard().count("epoch");
        long bite = Loss.any(scene.random()).strike(scene);
        long sinceMs = System.currentTimeMillis();
        Thread.sleep(AWAY_MS);
        check(scene, epoch, sinceMs);
        away.start();
        return bite;
    }

    private void check(Scene scene, long epochBefore, long sinceMs) {
        InShard now = scene.inShard();
        long own = now.since(sinceMs);
        boolean isOpenedAsItIs =
                now.count("epoch") > epochBefore && now.count("rebuilt") <= epochBefore;
        if (own > 0 && !isOpenedAsItIs) {
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
