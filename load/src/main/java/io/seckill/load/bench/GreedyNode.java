package io.seckill.load.bench;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.load.copy.RunningCopy;

import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A second edge node, as far as the first can tell: it leases every attempt of a product's quota as
 * soon as stock-service raises it, and makes none. So the quota is used up while units are left,
 * but for what the real edge is quicker to lease.
 */
final class GreedyNode implements AutoCloseable {

    private static final long PAUSE_MS = 2;

    private final RedisClient control;
    private final String quota;
    private final Thread thread = new Thread(this::lease, "greedy-node");
    private volatile boolean isClosed;

    GreedyNode(RunningCopy copy, String productId) {
        RedisEndpoint endpoint = RedisEndpoint.of("SECKILL_CONTROL_REDIS", copy.controlRedis());
        control = RedisClient.builder()
                .hostAndPort(endpoint.host(), endpoint.port())
                .build();
        quota = RedisKeys.quota(productId);
        thread.setDaemon(true);
        thread.start();
    }

    private void lease() {
        try {
            while (!isClosed) {
                String total = control.hget(quota, "total");
                if (total != null && !total.equals(control.hget(quota, "issued"))) {
                    control.hset(quota, "issued", total);
                }
                Thread.sleep(PAUSE_MS);
            }
        } catch (InterruptedException | JedisException e) {
            // closed; without it the measurement finds other answers and says so
        }
    }

    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
        control.close();
    }
}
