package io.seckill.rocketmq;

/**
 * How soon the client notices a pull that was lost. Its classes read these system properties when
 * they are loaded, so they are set before; what somebody set already stays.
 *
 * <p>A pull that is lost when the broker dies (seen: 2 of 12 queues) holds its queue up until the
 * client looks: after 45 + 5 s instead of 120 + 20 s. Idle pulls come every 15 s, failed ones every
 * 33 s, so none of those is taken for lost.
 */
final class ClientSettings {

    static final long LOST_PULL_MS = 45_000;
    static final long LOOK_EVERY_MS = 5_000;

    private ClientSettings() {}

    static void apply() {
        set("rocketmq.client.pull.pullMaxIdleTime", LOST_PULL_MS);
        set("rocketmq.client.rebalance.waitInterval", LOOK_EVERY_MS);
    }

    private static void set(String key, long ms) {
        if (System.getProperty(key) == null) {
            System.setProperty(key, Long.toString(ms));
        }
    }
}
