package io.seckill.ratelimit;

import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Permits of all buckets: one round trip to the control Redis each, and none for a key that was
 * refused a moment ago until asking may help.
 *
 * <p>While Redis is away this instance allows itself its part, by as many instances as it last
 * heard of; it asks Redis again once a second, so that one that hangs costs one time-out a second.
 * Then all instances together may pass what one of them did not yet know of another's start.
 *
 * <p>Of each key it remembers two things, of {@link #MOST_KEYS} keys at most: the one that was
 * asked for longest ago is forgotten, which costs a round trip, or alone a bucket that is empty.
 */
final class RateLimiter {

    static final int MOST_KEYS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(RateLimiter.class);
    private static final Script TAKE = Script.of(RateLimiter.class, "/ratelimit/take.lua");
    private static final long ALONE_US = 1_000_000;
    private static final long PRESENT_US = 1_000_000; // says that it is there once a second

    private final RedisClient redis;
    private final LongSupplier clockUs;
    private final String instance = UUID.randomUUID().toString();
    private final Map<String, Long> refusedUntilUs = new Latest<>();
    private final Map<String, TokenBucket> own = new Latest<>();
    private volatile long instances = 1;
    private volatile long presentUntilUs = Long.MIN_VALUE;
    private volatile long aloneUntilUs = Long.MIN_VALUE;
    private volatile boolean isAlone;

    /** {@code clockUs} runs on and on, as System.nanoTime does. */
    RateLimiter(RedisClient redis, LongSupplier clockUs) {
        this.redis = redis;
        this.clockUs = clockUs;
    }

    Grant take(String key, Limit limit) {
        long nowUs = clockUs.getAsLong();
        Long untilUs = get(refusedUntilUs, key);
        if (untilUs != null && untilUs > nowUs) {
            return new Grant(false, (untilUs - nowUs + 999) / 1_000);
        }
        Grant grant = nowUs < aloneUntilUs ? alone(key, limit, nowUs) : shared(key, limit, nowUs);
        if (!grant.isGranted()) {
            put(refusedUntilUs, key, clockUs.getAsLong() + grant.waitMs() * 1_000);
        }
        return grant;
    }

    private Grant shared(String key, Limit limit, long nowUs) {
        boolean saysPresent = nowUs >= presentUntilUs;
        try {
            List<?> reply = (List<?>) TAKE.run(
                    redis,
                    List.of(RedisKeys.rateLimit(key), RedisKeys.RATE_LIMIT_INSTANCES),
                    List.of(
                            saysPresent ? instance : "",
                            Integer.toString(limit.perSecond()),
                            Integer.toString(limit.burstSeconds()),
                            Long.toString(limit.waitUs())));
            if (saysPresent) {
                presentUntilUs = nowUs + PRESENT_US;
                instances = (long) reply.get(2);
            }
            goTogether();
            return new Grant((long) reply.get(0) == 1, (long) reply.get(1));
        } catch (JedisException e) {
            goAlone(e);
            return alone(key, limit, clockUs.getAsLong());
        }
    }

    private Grant alone(String key, Limit limit, long nowUs) {
        TokenBucket bucket;
        synchronized (own) {
            bucket = own.computeIfAbsent(key, first -> new TokenBucket(nowUs));
        }
        return bucket.take(limit.share(instances), nowUs);
    }

    private void goAlone(JedisException e) {
        aloneUntilUs = clockUs.getAsLong() + ALONE_US;
        if (!isAlone) {
            LOG.warn("rate limits: each instance allows its part (1 of {}): {}", instances, e);
        }
        isAlone = true;
    }

    private void goTogether() {
        if (isAlone) {
            LOG.info("rate limits: the control Redis counts again");
            synchronized (own) {
                own.clear();
            }
        }
        isAlone = false;
    }

    private static <V> @Nullable V get(Map<String, V> map, String key) {
        synchronized (map) {
            return map.get(key);
        }
    }

    private static <V> void put(Map<String, V> map, String key, V value) {
        synchronized (map) {
            map.put(key, value);
        }
    }

    /** The keys that were asked for last. */
    private static final class Latest<V> extends LinkedHashMap<String, V> {

        Latest() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MOST_KEYS;
        }
    }
}
