package io.seckill.load.faults;

import io.seckill.contracts.RedisKeys;
import io.seckill.load.copy.RunningCopy;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/**
 * All shards are killed in the rush, so that who comes then is put into the spool of
 * flash-sale-service; that is killed too, and all come back, the service first or last.
 */
final class ShardsAway implements Fault {

    private static final int ENOUGH = 10;

    @Override
    public String title() {
        return "shards-away";
    }

    @Override
    public boolean sellsForReal() {
        return true;
    }

    @Override
    public Strike prepare(Scene scene) {
        boolean isServiceFirst = scene.random().nextBoolean();
        return () -> strike(scene, isServiceFirst);
    }

    /** Attempts that waited in the spool, where that were enough. */
    private static long strike(Scene scene, boolean isServiceFirst)
            throws IOException, InterruptedException {
        Part service = scene.part("flash-sale");
        List<Part> shards = IntStream.range(0, scene.copy().shards().size())
                .mapToObj(shard -> scene.part("shard-" + shard))
                .toList();
        for (Part shard : shards) {
            shard.kill();
        }
        boolean isEnough = Scene.await(() -> spooled(scene.copy(), scene.productId()) >= ENOUGH);
        long spooled = spooled(scene.copy(), scene.productId());
        service.kill();
        Stream<Part> last = Stream.of(service);
        for (Part part : (isServiceFirst
                        ? Stream.concat(last, shards.stream())
                        : Stream.concat(shards.stream(), last))
                .toList()) {
            part.start();
        }
        return isEnough ? spooled : 0;
    }

    /** None has expired yet: all that are known are there. */
    private static long spooled(RunningCopy copy, String productId) {
        try (Jedis redis = new Jedis(URI.create(copy.controlRedis()))) {
            return redis.zrange(RedisKeys.SPOOLED, 0, -1).stream()
                    .filter(member -> member.contains("|" + productId + "|"))
                    .count();
        }
    }
}
