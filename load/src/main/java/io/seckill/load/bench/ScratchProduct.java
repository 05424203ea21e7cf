package io.seckill.load.bench;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SyntheticSale;
import io.seckill.quantity.QuantityStock;
import io.seckill.shard.Shard;
import java.util.List;
import redis.clients.jedis.RedisClient;

/**
 * Units in the first shard of a product that is on no sale: the floors take them beside the
 * platform, from a Redis that is set up like any shard. No relay looks at it; it goes when this is
 * closed.
 */
final class ScratchProduct implements AutoCloseable {

    private final String productId = SyntheticSale.newProduct();
    private final RedisEndpoint endpoint;
    private final RedisClient redis;

    ScratchProduct(RunningCopy copy, long units) {
        endpoint = RedisEndpoint.of("SECKILL_SHARDS", copy.shards().get(0));
        redis = RedisClient.builder()
                .hostAndPort(endpoint.host(), endpoint.port())
                .build();
        try (Shard shard = new Shard(0, endpoint)) {
            new QuantityStock(shard).load(productId, 1, units);
        }
    }

    String id() {
        return productId;
    }

    RedisEndpoint shard() {
        return endpoint;
    }

    RedisClient redis() {
        return redis;
    }

    /** As the reserve script wants them. */
    List<String> keys() {
        return List.of(
                RedisKeys.stock(productId),
                RedisKeys.buyers(productId),
                RedisKeys.reservations(productId),
                RedisKeys.outbox(productId));
    }

    long taken() {
        String taken = redis.hget(RedisKeys.stock(productId), "deducted");
        return taken == null ? 0 : Long.parseLong(taken);
    }

    @Override
    public void close() {
        keys().forEach(redis::unlink);
        redis.close();
    }
}
