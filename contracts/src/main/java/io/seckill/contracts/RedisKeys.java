package io.seckill.contracts;

/**
 * Names of the keys in the control Redis and in the shards; README.md says type, owner, lifetime.
 */
public final class RedisKeys {

    public static final String LIMITS = "seckill:limits";

    /**
     * There once all limits are that operators ever set, with a new text each time. A limit that is
     * missing is the default only where this was read with the same text before and after it;
     * else it may have been lost, and the last good value stays.
     */
    public static final String LIMITS_KEPT = "seckill:limits:kept";

    public static final String RATE_LIMIT_INSTANCES = "seckill:rate-limit-instances";
    public static final String SALES = "seckill:sales";

    /** Products whose sale has just become sold out, or is not any more. */
    public static final String SALE_CHANGES = "seckill:sale-changes";

    /** A field of a sale, apart from its facts: another number whenever units came. */
    public static final String STOCK_VERSION = "stock_version";

    /** How many orders the latest second has had; and who shares its limit. */
    public static final String ORDER_RATE = "seckill:order:rate";

    public static final String ORDER_INSTANCES = "seckill:order:instances";

    /** How long reservations wait to become orders, for the edge. */
    public static final String BACKLOG = "seckill:backlog";

    /** How far instances have got in each queue of reservations. Only they read it. */
    public static final String BACKLOG_DONE = "seckill:backlog:done";

    /** How edges share the rate of all of them. Only they read it. */
    public static final String EDGES = "seckill:edges";

    /** In a shard: the relay that sends what others left behind. */
    public static final String RELAY = "seckill:relay";

    /** Order events that cannot be read, kept for a human. */
    public static final String PARKED_ORDER_EVENTS = "seckill:parked:" + OrderEvent.GROUP;

    private RedisKeys() {}

    public static String productLimits(String productId) {
        return "seckill:limits:product:" + productId;
    }

    public static String sale(String productId) {
        return "seckill:sale:" + productId;
    }

    /** There while a message of a synthetic sale that was removed may come. */
    public static String removed(String productId) {
        return "seckill:removed:" + productId;
    }

    public static String quota(String productId) {
        return "seckill:quota:" + productId;
    }

    /** What a lease of the quota got; {@code :} and the lease's id follow. Only edges read it. */
    public static String lease(String productId) {
        return "seckill:lease:" + productId;
    }

    public static String result(String productId, String userId) {
        return "seckill:result:" + productId + ":" + userId;
    }

    /** Attempts on a shard whose outcome nobody knows, by their deadlines in its time. */
    public static String unknown(int shard) {
        return "seckill:unknown:" + shard;
    }

    /** Attempts on the disks of instances, by the time at which they expire there. */
    public static final String SPOOLED = "seckill:spooled";

    /** The calls that share a limit of {@code @SeckillRateLimit}. */
    public static String rateLimit(String key) {
        return "seckill:rate-limit:" + key;
    }

    public static String stock(String productId) {
        return shard(productId, "stock");
    }

    public static String buyers(String productId) {
        return shard(productId, "buyers");
    }

    public static String reservations(String productId) {
        return shard(productId, "reservations");
    }

    /** How the last reservation of each user ended whose units went back. */
    public static String ended(String productId) {
        return shard(productId, "ended");
    }

    public static String outbox(String productId) {
        return shard(productId, "outbox");
    }

    /** Outbox entries that no relay can read, kept for a human. */
    public static String parked(String productId) {
        return shard(productId, "outbox:parked");
    }

    /**
     * The braces put all keys of a product into one slot, so that one script may touch them all.
     */
    private static String shard(String productId, String what) {
        return "seckill:{" + productId + "}:" + what;
    }
}
