package io.seckill.broker;

import org.apache.rocketmq.store.ha.DefaultHAService;

/**
 * Replication switched off: one broker has no slave, and RocketMQ's own service would hand its
 * whole commit log to whoever connects, listening on every address with no setting to bind it.
 *
 * <p>Found by the broker through {@code META-INF/service}. The object is still asked for its
 * offsets, so only its threads and its port are left out.
 */
public final class NoReplication extends DefaultHAService {
    @Override
    public void start() {}

    @Override
    public void shutdown() {}
}
