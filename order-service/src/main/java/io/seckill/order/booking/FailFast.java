package io.seckill.order.booking;

import static io.seckill.contracts.Limits.ORDER_BACKLOG_MAX_AGE_MS;
import static java.util.Objects.requireNonNull;

import io.seckill.common.message.Backlog;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.shard.Script;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;

/**
 * Whether reservations wait so long that some must be told no: by how many wait in the broker, over
 * the rate at which they become orders.
 *
 * <p>A reservation is late when the broker has had it for longer than {@code
 * order.backlog_max_age_ms} <b>and</b> those that wait would take longer than that, too. So what an
 * outage left behind is late only while it is more than can be written in time. The rate is the
 * limit of all instances, or what they can do where that is less. How many wait is asked twice a
 * second and told up to half a second late; what was settled here since the look before is taken
 * off, for each instance that is known. So is what was settled here since the oldest messages in
 * hand, or held up, came: the broker counts all behind them as if they waited. That errs towards
 * waiting: a reservation is late one look later, never without reason. A broker that does not say
 * how many wait makes nothing late.
 *
 * <p>Ages are by the broker's clock against the control Redis's, asked at each look, as of
 * everything that is dated here. What was read last stays while Redis is away. The
 * wait is published for the edge and expires when nobody looks any more. Two instances look and
 * publish twice; the last word stays.
 */
@Component
final class FailFast {

    /** What is published by one look outlives some more that fail. */
    private static final int PUBLISHED_MS = 5_000;

    /** While some are late one in so many of those in hand may still land. */
    private static final int LANDING_SHARE = 5;

    private static final Script PUBLISH = Script.of("""
            local time = redis.call('TIME')
            local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
            redis.call('SET', KEYS[1], string.format('{"estimatedWaitMs":%d,"atMs":%d}',
                ARGV[1], now_ms), 'PX', ARGV[2])
            return now_ms""");

    /** So many wait, of whom so many were settled here since: {@code settled} is the count then. */
    private record Look(long waiting, long settled) {}

    private final Backlog backlog;
    private final OrderRate rate;
    private final OrderLimits limits;
    private final LandingSpeed speed;
    private final RedisClient redis;
    private final Clock clock;
    private final AtomicLong settled = new AtomicLong(); // messages, since the start
    private final Map<Object, Long> since = new ConcurrentHashMap<>(); // of calls, and ids held up
    private volatile Look look = new Look(0, 0);
    private volatile long settledAtLook; // of them those that none in hand was before
    private volatile long redisAheadMs; // of this host's clock

    FailFast(
            Backlog backlog,
            OrderRate rate,
            OrderLimits limits,
            LandingSpeed speed,
            RedisClient redis,
            Clock clock) {
        this.backlog = backlog;
        this.rate = rate;
        this.limits = limits;
        this.speed = speed;
        this.redis = redis;
        this.clock = clock;
    }

    /** Asks the broker, says it to the edge and hears the operator. Throws while Redis is away. */
    void look() {
        OptionalLong waiting = backlog.of(Reservation.TOPIC, Reservation.GROUP);
        learn(waiting.orElse(0));
        limits.read();
        if (waiting.isPresent()) {
            publish();
        }
    }

    /** So many wait; what was settled since the last time may be among them. */
    void learn(long waiting) {
        long sure = settledBeforeAnyInHand();
        look = new Look(waiting, Math.min(settledAtLook, sure));
        settledAtLook = sure;
    }

    private long settledBeforeAnyInHand() {
        long all = settled.get();
        return since.values().stream().mapToLong(Long::longValue).reduce(all, Math::min);
    }

    private void publish() {
        long nowMs = (long) PUBLISH.run(
                redis,
                List.of(RedisKeys.BACKLOG),
                List.of(Long.toString(estimatedWaitMs()), Integer.toString(PUBLISHED_MS)));
        redisAheadMs = nowMs - clock.millis();
    }

    /** Messages of these ids are in hand, until the call that is answered has ended. */
    Object begins(Collection<String> ids) {
        Object call = new Object();
        long all = settled.get();
        since.put(
                call,
                ids.stream().mapToLong(id -> since.getOrDefault(id, all)).reduce(all, Math::min));
        ids.forEach(since::remove);
        return call;
    }

    /** So many of its messages have ended here; those that are held up come again. */
    void ended(Object call, int count, Collection<String> heldUp) {
        long begun = requireNonNull(since.get(call), "it began");
        heldUp.forEach(id -> since.put(id, begun));
        since.remove(call);
        settled.addAndGet(count);
    }

    /** In how many milliseconds those that wait now will be orders. */
    long estimatedWaitMs() {
        Look last = look;
        long settledSince = (settled.get() - last.settled()) * rate.instances();
        long perSecond = Math.min(rate.perSecond(), speed.perSecond() * rate.instances());
        return Math.max(0, last.waiting() - settledSince) * 1_000 / Math.max(1, perSecond);
    }

    /** What has waited since before this is late; nothing is, as long as all can be written. */
    long lateBeforeMs() {
        long longestMs = limits.of(ORDER_BACKLOG_MAX_AGE_MS);
        return estimatedWaitMs() > longestMs
                ? clock.millis() + redisAheadMs - longestMs
                : Long.MIN_VALUE;
    }

    /** Of so many in hand, at least one, so many may land while some are late. */
    static int share(int inHand) {
        return (inHand + LANDING_SHARE - 1) / LANDING_SHARE;
    }
}
