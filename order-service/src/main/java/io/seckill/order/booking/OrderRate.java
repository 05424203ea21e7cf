package io.seckill.order.booking;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import java.time.Clock;
import java.util.List;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Permits to write orders: as many per second, over all instances, as operators allow.
 *
 * <p>The count of a second lives in the control Redis under {@code seckill:order:rate:SECOND} and
 * is raised by a script that never passes the limit. The limit is read once per second; a bad value
 * keeps the last good one. Each instance also counts what it was granted, whoever granted it, so
 * that one instance keeps the limit by itself while Redis is away; several instances then reach the
 * limit each. The second is the instance's own: clocks that differ blur the border of two seconds,
 * no more.
 */
@Component
final class OrderRate {

    private static final Logger LOG = LoggerFactory.getLogger(OrderRate.class);
    private static final int MAX_WAITS = 30;
    private static final Script GRANT = Script.of("""
            local used = tonumber(redis.call('GET', KEYS[1]) or '0')
            local granted = math.min(tonumber(ARGV[1]), tonumber(ARGV[2]) - used)
            if granted <= 0 then
                return 0
            end
            redis.call('SET', KEYS[1], used + granted, 'EX', 5)
            return granted""");

    private final RedisClient redis;
    private final Clock clock;
    private final LongConsumer pause;
    private long limit = Limits.initial(Limits.ORDER_RATE_PER_SECOND);
    private long second = -1;
    private long grantedHere; // in this second, by this instance
    private boolean alone; // Redis did not answer in this second
    private boolean wasAlone;

    @Autowired
    OrderRate(RedisClient redis, Clock clock) {
        this(redis, clock, OrderRate::sleep);
    }

    OrderRate(RedisClient redis, Clock clock, LongConsumer pause) {
        this.redis = redis;
        this.clock = clock;
        this.pause = pause;
    }

    /** {@code count} orders may be written as of {@code atMs}. */
    record Permit(int count, long atMs) {}

    /**
     * From 1 to {@code wanted} permits, waiting for a later second when this one has none left.
     * Throws after {@link #MAX_WAITS} seconds without a permit; the messages then wait in the
     * consumer.
     */
    Permit take(int wanted) {
        for (int waits = 0; waits < MAX_WAITS; waits++) {
            long nowMs = clock.millis();
            int count = (int) grant(nowMs / 1_000, wanted);
            if (count > 0) {
                return new Permit(count, nowMs);
            }
            pause.accept(1_000 - nowMs % 1_000);
        }
        throw new IllegalStateException("no permit in " + MAX_WAITS + " s: other instances use up "
                + Limits.ORDER_RATE_PER_SECOND + " = " + limit + "; raise it");
    }

    /** Throws when interrupted: nothing has been written, and must not be reported as written. */
    private static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting " + ms + " ms", e);
        }
    }

    private synchronized long grant(long now, int wanted) {
        if (now != second) {
            turnTo(now);
        }
        long granted = Math.min(wanted, limit - grantedHere);
        if (granted > 0 && !alone) {
            granted = shared(granted);
        }
        grantedHere += Math.max(granted, 0);
        return granted;
    }

    private void turnTo(long now) {
        second = now;
        grantedHere = 0;
        alone = false;
        try {
            String written = redis.hget(RedisKeys.LIMITS, Limits.ORDER_RATE_PER_SECOND);
            limit = Limits.effective(Limits.ORDER_RATE_PER_SECOND, written, limit);
        } catch (JedisException e) {
            goAlone(e);
        }
    }

    private long shared(long wanted) {
        try {
            Object granted = GRANT.run(
                    redis,
                    List.of(RedisKeys.orderRate(second)),
                    List.of(Long.toString(wanted), Long.toString(limit)));
            if (wasAlone) {
                LOG.info("control Redis counts orders again");
            }
            wasAlone = false;
            return (long) granted;
        } catch (JedisException e) {
            goAlone(e);
            return wanted;
        }
    }

    /** For the rest of the second, so that a Redis that hangs costs one timeout a second. */
    private void goAlone(JedisException e) {
        alone = true;
        if (!wasAlone) {
            LOG.warn(
                    "control Redis cannot count orders, this instance allows itself {}/s: {}",
                    limit,
                    e.toString());
        }
        wasAlone = true;
    }
}
