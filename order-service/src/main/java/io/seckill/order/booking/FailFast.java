package io.seckill.order.booking;

import static io.seckill.contracts.Limits.ORDER_BACKLOG_MAX_AGE_MS;

import io.seckill.common.message.Backlog;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.shard.Script;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Whether reservations wait so long that some must be told no: by how many wait in the broker, over
 * the rate at which they become orders.
 *
 * <p>A reservation is late when the broker has had it for longer than {@code
 * order.backlog_max_age_ms} <b>and</b> those that wait would take longer than that, too. So what an
 * outage left behind is late only while it is more than can be written in time. The rate is the
 * limit of all instances, or what they can do where that is less. A broker that does not say how
 * many wait makes nothing late.
 *
 * <p>How many wait is asked twice a second. What was done once is never waited for again: a replay
 * of the topic finds its rows and takes no permit. What was settled behind a message that is held
 * up waits for nobody, though the broker counts it: of its own queues each instance knows it, and
 * tells the others by the control Redis. What was settled here since the look before is taken off,
 * too, for each instance that is known: so old may its word be. That errs towards waiting: a
 * reservation is late one look later, never without reason.
 *
 * <p>Ages are by the broker's clock against the control Redis's, asked at each look, as of
 * everything that is dated here. While Redis is away what was read last stays, and each instance
 * knows what it settled itself. The wait is published for the edge and expires when nobody looks
 * any more. Two instances look and publish twice; the last word stays.
 */
@Component
final class FailFast {

    /** What is published by one look outlives some more that fail. */
    private static final String PUBLISHED_MS = "5000";

    /** What is done stays done when nobody looks: a replay is no backlog. As long as it can come. */
    private static final String DONE_MS = Long.toString(Duration.ofDays(30).toMillis());

    /** While some are late one in so many of those in hand may still land. */
    private static final int LANDING_SHARE = 5;

    private static final Script PUBLISH = Script.of("""
            local time = redis.call('TIME')
            local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
            redis.call('SET', KEYS[1], string.format('{"estimatedWaitMs":%d,"atMs":%d}',
                ARGV[1], now_ms), 'PX', ARGV[2])
            return now_ms""");

    /**
     * Of each queue: its name, how many messages it has had, and how many of them are done, as far
     * as this instance knows. Somebody may know of more, but of none that was never sent.
     */
    private static final Script WAITING = Script.of("""
            local kept = redis.pcall('HGETALL', KEYS[1])
            if kept.err then
                redis.call('DEL', KEYS[1])
            end
            local known, waiting = {}, 0
            for i = 1, #kept, 2 do
                known[kept[i]] = tonumber(kept[i + 1])
            end
            for i = 2, #ARGV, 3 do
                local sent, done = tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
                done = math.min(sent, math.max(done, known[ARGV[i]] or 0))
                redis.call('HSET', KEYS[1], ARGV[i], string.format('%d', done))
                waiting = waiting + sent - done
            end
            redis.call('PEXPIRE', KEYS[1], ARGV[1])
            return waiting""");

    /** So many wait, of whom so many were settled here since: {@code settled} is the count then. */
    private record Look(long waiting, long settled) {}

    private final Backlog backlog;
    private final OrderRate rate;
    private final OrderLimits limits;
    private final LandingSpeed speed;
    private final RedisClient redis;
    private final Clock clock;
    private final AtomicLong settled = new AtomicLong(); // messages, since the start
    private volatile Look look = new Look(0, 0);
    private volatile long settledAtLook;
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
        Optional<List<Backlog.Queue>> queues = backlog.queues(Reservation.TOPIC, Reservation.GROUP);
        try {
            limits.read();
            learn(queues.map(this::waiting).orElse(0L));
        } catch (JedisException e) {
            learn(queues.map(FailFast::waitingAlone).orElse(0L));
            throw e;
        }
        if (queues.isPresent()) {
            publish();
        }
    }

    private long waiting(List<Backlog.Queue> queues) {
        List<String> facts = new ArrayList<>(List.of(DONE_MS));
        for (Backlog.Queue queue : queues) {
            facts.addAll(List.of(
                    queue.name(), Long.toString(queue.sent()), Long.toString(queue.done())));
        }
        return (long) WAITING.run(redis, List.of(RedisKeys.BACKLOG_DONE), facts);
    }

    private static long waitingAlone(List<Backlog.Queue> queues) {
        return queues.stream().mapToLong(Backlog.Queue::waiting).sum();
    }

    /** So many wait; what was settled since the last time may be among them. */
    void learn(long waiting) {
        look = new Look(waiting, settledAtLook);
        settledAtLook = settled.get();
    }

    private void publish() {
        long nowMs = (long) PUBLISH.run(
                redis,
                List.of(RedisKeys.BACKLOG),
                List.of(Long.toString(estimatedWaitMs()), PUBLISHED_MS));
        redisAheadMs = nowMs - clock.millis();
    }

    /** So many messages have ended here. */
    void settled(int count) {
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
