package io.seckill.order.booking;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Permits to write orders: as many per second, over all instances, as operators allow.
 *
 * <p>The second is that of the control Redis, by its TIME in the script that grants, and an order
 * is dated by its permit: no instance's clock decides anything, and no second of 1970 gets more
 * orders than its limit, which is what was set when its first permit was given. The one key
 * expires 5 s after the last permit. A Redis that loses it within a second counts that second on
 * from what those who ask were given themselves: an instance takes none twice, several may.
 *
 * <p>While Redis is away each instance goes on with its part of the limit: by as many instances as
 * it last heard of, itself included, or as make order numbers by the database, where those are
 * more: so does one that starts meanwhile. What Redis granted in the same second counts. The time goes on
 * from what Redis said last: a host whose clock is wrong neither fills a second that others have
 * filled nor dates an order so that it is born too late to be paid. What clocks drift apart
 * meanwhile, the border between their seconds may see twice, no more.
 */
@Component
final class OrderRate implements HealthIndicator {

    private static final Logger LOG = LoggerFactory.getLogger(OrderRate.class);

    /**
     * A second that lies ahead is one that Redis's clock has gone back from: it is used up first.
     * Farther ahead than the key lives, it is somebody's mistake, as is what is no number. The
     * second of the latest permit given here, and how many of it were, are known whatever is kept.
     */
    private static final Script GRANT = Script.of("""
            local time = redis.call('TIME')
            local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
            local second, limit, used = math.floor(now_ms / 1000), tonumber(ARGV[2]), 0
            local kept = redis.pcall('HMGET', KEYS[1], 'second', 'limit', 'used')
            if kept.err then
                redis.call('DEL', KEYS[1])
            else
                local s, l, u = tonumber(kept[1]), tonumber(kept[2]), tonumber(kept[3])
                if s and l and u and s >= second and s <= second + 5 then
                    second, limit, used = s, l, u
                end
            end
            if tonumber(ARGV[3]) == second then
                used = math.max(used, tonumber(ARGV[4]))
            end
            local granted = math.min(tonumber(ARGV[1]), limit - used)
            local at_ms = math.max(now_ms, second * 1000)
            if granted <= 0 then
                return {0, at_ms, math.min(second * 1000 + 1000 - now_ms, 1000), now_ms}
            end
            redis.call('HSET', KEYS[1], 'second', second, 'limit', limit, 'used', used + granted)
            redis.call('EXPIRE', KEYS[1], 5)
            return {granted, at_ms, 0, now_ms}""");

    /** Who has not said so for 15 s is gone. */
    private static final Script PRESENT = Script.of("""
            local time = redis.call('TIME')
            redis.call('ZADD', KEYS[1], time[1], ARGV[1])
            redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time[1] - 15)
            redis.call('EXPIRE', KEYS[1], 15)
            local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
            return {redis.call('ZCARD', KEYS[1]), now_ms}""");

    private final String instance = UUID.randomUUID().toString();
    private final RedisClient redis;
    private final OrderLimits limits;
    private final Clock clock;
    private final IntSupplier others; // that make order numbers, by the database
    private final LongConsumer pause;
    private long second = -1; // the latest in which a permit was given here
    private long givenHere; // in that second, by whomever
    private long aloneSecond = -1; // in which Redis did not answer
    private long aheadMs; // of this host's clock is Redis's, as was heard last
    private volatile boolean alone;
    private volatile long heard = 1; // instances by Redis, this one included
    private volatile long seen = 1; // by the database, while Redis is away

    @Autowired
    OrderRate(RedisClient redis, OrderLimits limits, Clock clock, WorkerLease workers) {
        this(redis, limits, clock, workers::others, OrderRate::sleep);
    }

    OrderRate(
            RedisClient redis,
            OrderLimits limits,
            Clock clock,
            IntSupplier others,
            LongConsumer pause) {
        this.redis = redis;
        this.limits = limits;
        this.clock = clock;
        this.others = others;
        this.pause = pause;
    }

    /** {@code count} orders may be written as of {@code atMs}. */
    record Permit(int count, long atMs) {}

    /** No permits: in so many milliseconds there may be some. */
    private record Grant(long count, long atMs, long waitMs) {}

    /**
     * From 1 to {@code wanted} permits, waiting for as many seconds as it takes: being slow is no
     * failure. Throws when interrupted, which is how a service stops; nothing has been written.
     */
    Permit take(int wanted) {
        Grant grant = grant(wanted);
        while (grant.count() <= 0) {
            pause.accept(grant.waitMs());
            grant = grant(wanted);
        }
        return new Permit((int) grant.count(), grant.atMs());
    }

    /** From 0 to {@code wanted} permits of this second; never waits for another. */
    Permit tryTake(int wanted) {
        Grant grant = grant(wanted);
        return new Permit((int) Math.max(0, grant.count()), grant.atMs());
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting " + ms + " ms", e);
        }
    }

    private synchronized Grant grant(int wanted) {
        Grant grant = aloneSecond == nowMs() / 1_000 ? own(wanted) : shared(wanted);
        if (grant.count() > 0) {
            turnTo(grant.atMs() / 1_000);
            givenHere += grant.count();
        }
        return grant;
    }

    private void turnTo(long now) {
        if (now != second) {
            second = now;
            givenHere = 0;
        }
    }

    private Grant shared(int wanted) {
        try {
            limits.read();
            List<?> reply = (List<?>) GRANT.run(
                    redis,
                    List.of(RedisKeys.ORDER_RATE),
                    List.of(
                            Integer.toString(wanted),
                            Long.toString(perSecond()),
                            Long.toString(second),
                            Long.toString(givenHere)));
            goTogether((long) reply.get(3));
            return new Grant((long) reply.get(0), (long) reply.get(1), (long) reply.get(2));
        } catch (JedisException e) {
            goAlone(e);
            return own(wanted);
        }
    }

    private Grant own(int wanted) {
        long nowMs = nowMs();
        turnTo(nowMs / 1_000);
        long left = share() - givenHere;
        return new Grant(Math.min(wanted, left), nowMs, 1_000 - nowMs % 1_000);
    }

    /** By Redis's clock, as far as it is known. */
    private long nowMs() {
        return clock.millis() + aheadMs;
    }

    /** For the rest of the second, so that a Redis that hangs costs one timeout a second. */
    private synchronized void goAlone(JedisException e) {
        aloneSecond = nowMs() / 1_000;
        if (!alone) {
            LOG.warn(
                    "control Redis cannot count orders, this instance allows itself {}/s: {}",
                    share(),
                    e.toString());
        }
        alone = true;
    }

    private synchronized void goTogether(long redisMs) {
        aheadMs = redisMs - clock.millis();
        if (alone) {
            LOG.info("control Redis counts orders again");
        }
        alone = false;
    }

    private long share() {
        return Math.max(1, perSecond() / instances());
    }

    /**
     * Says that this instance is there, and hears how many are; also whether Redis is away. Throws
     * when the database is away, too.
     */
    void sayPresent() {
        try {
            List<?> reply = (List<?>)
                    PRESENT.run(redis, List.of(RedisKeys.ORDER_INSTANCES), List.of(instance));
            heard = (long) reply.get(0);
            seen = 1;
            goTogether((long) reply.get(1));
        } catch (JedisException e) {
            goAlone(e);
            seen = 1L + others.getAsInt();
        }
    }

    /** Of all instances together. */
    long perSecond() {
        return limits.of(Limits.ORDER_RATE_PER_SECOND);
    }

    /** Known ones, this one included. */
    long instances() {
        return Math.max(heard, seen);
    }

    /** Redis counts the orders of all instances; false: this one its own part. */
    boolean isShared() {
        return !alone;
    }

    /** Green also while Redis is away, for orders go on. */
    @Override
    public Health health() {
        return Health.up()
                .withDetail("alone", alone)
                .withDetail("instances", instances())
                .build();
    }
}
