package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;

/**
 * What operators allow orders: the last good values. A bad one, and a missing one while the control
 * Redis has lost its limits ({@link RedisKeys#LIMITS_KEPT}), changes nothing.
 *
 * <p>Until that Redis has been heard what stock-service keeps of it in the database is in force, so
 * neither a start while it is down nor one after it lost its data forgets a limit.
 */
@Component
final class OrderLimits {

    private static final Logger LOG = LoggerFactory.getLogger(OrderLimits.class);
    private static final List<String> KEYS = List.of(
            Limits.ORDER_RATE_PER_SECOND,
            Limits.ORDER_BACKLOG_MAX_AGE_MS,
            Limits.ORDER_UNPAID_COUNT);

    private final RedisClient redis;
    private final LimitMapper database;
    private final Map<String, Long> lastGood = new ConcurrentHashMap<>();
    private volatile boolean areLost;

    OrderLimits(RedisClient redis, LimitMapper database) {
        this.redis = redis;
        this.database = database;
    }

    /** Hears the operator. Throws while Redis is away. */
    void read() {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> before = pipeline.get(RedisKeys.LIMITS_KEPT);
            Response<List<String>> texts =
                    pipeline.hmget(RedisKeys.LIMITS, KEYS.toArray(String[]::new));
            Response<String> after = pipeline.get(RedisKeys.LIMITS_KEPT);
            pipeline.sync();
            boolean areKept = before.get() != null && before.get().equals(after.get());
            for (int i = 0; i < KEYS.size(); i++) {
                learn(KEYS.get(i), texts.get().get(i), areKept);
            }
            say(!areKept);
        }
    }

    private void learn(String key, @Nullable String text, boolean areKept) {
        if (text != null || areKept) {
            lastGood.put(key, Limits.effective(key, text, of(key)));
        }
    }

    private void say(boolean lost) {
        if (lost && !areLost) {
            LOG.warn("the control Redis has lost its limits, the last good ones stay in force");
        } else if (!lost && areLost) {
            LOG.info("the control Redis has its limits again");
        }
        areLost = lost;
    }

    /** The limit in force. */
    long of(String key) {
        Long known = lastGood.get(key);
        return known != null ? known : first(key);
    }

    /** Asked again while the database is away, too: then no order is written anyhow. */
    private long first(String key) {
        try {
            Long kept = database.latest(key);
            long value = kept == null ? Limits.initial(key) : kept;
            return requireNonNull(lastGood.merge(key, value, (heard, ours) -> heard));
        } catch (DataAccessException e) {
            return Limits.initial(key);
        }
    }
}
