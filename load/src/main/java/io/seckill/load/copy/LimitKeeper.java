package io.seckill.load.copy;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.load.AtCtrlC;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * Changes limits for a run and puts back what was there: the value, or nothing.
 *
 * <p>A limit is put back only while it still has the value of this run: what an operator changed
 * meanwhile is the operator's. Also put back, and said so, when the run is ended by Ctrl-C.
 */
public final class LimitKeeper implements AutoCloseable {

    private final RedisClient control;
    private final Map<Field, Change> changes = new LinkedHashMap<>();
    private boolean isPutBack;
    private final AtCtrlC atCtrlC = new AtCtrlC("put-limits-back", this::interrupted);

    public LimitKeeper(RunningCopy copy) {
        RedisEndpoint endpoint = RedisEndpoint.of("SECKILL_CONTROL_REDIS", copy.controlRedis());
        control = RedisClient.builder()
                .hostAndPort(endpoint.host(), endpoint.port())
                .build();
    }

    private record Field(String hash, String key) {}

    private record Change(@Nullable String before, String during) {}

    public void putGlobal(String key, long value) {
        put(RedisKeys.LIMITS, key, Long.toString(value));
    }

    public void putOfProduct(String productId, String key, long value) {
        put(RedisKeys.productLimits(productId), key, Long.toString(value));
    }

    private synchronized void put(String hash, String key, String value) {
        if (isPutBack) {
            throw new IllegalStateException("the limits were put back meanwhile");
        }
        if (!Limits.isValid(key, value)) {
            throw new IllegalArgumentException(key + " cannot be " + value);
        }
        Field field = new Field(hash, key);
        String before = control.hget(hash, key);
        control.hset(hash, key, value);
        changes.merge(
                field, new Change(before, value), (old, now) -> new Change(old.before(), value));
    }

    /** What is in force for all. */
    public long global(String key) {
        return written(RedisKeys.LIMITS, key);
    }

    /** What is in force for a product. */
    public long ofProduct(String productId, String key) {
        return written(RedisKeys.productLimits(productId), key);
    }

    private long written(String hash, String key) {
        return Limits.effective(key, control.hget(hash, key), Limits.initial(key));
    }

    /**
     * What this run was measured with, by key: the values it put, else what is in force for all,
     * else the default.
     */
    public synchronized Map<String, String> inForce() {
        Map<String, String> written = control.hgetAll(RedisKeys.LIMITS);
        Map<String, String> inForce = new TreeMap<>();
        for (String key : Limits.keys()) {
            String put = String.join(" or ", putValues(key));
            long found = Limits.effective(key, written.get(key), Limits.initial(key));
            inForce.put(key, put.isEmpty() ? Long.toString(found) : put);
        }
        return inForce;
    }

    private Set<String> putValues(String key) {
        return changes.entrySet().stream()
                .filter(change -> change.getKey().key().equals(key))
                .map(change -> change.getValue().during())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public void close() {
        putBack();
        atCtrlC.close(); // does not return while the hook needs the connection
        control.close();
    }

    private void interrupted() {
        if (putBack() > 0) {
            System.err.println("seckill: interrupted; the limits are as they were");
        }
    }

    /** How many were changed; none can be changed any more. */
    public synchronized int putBack() {
        isPutBack = true;
        int count = changes.size();
        changes.forEach((field, change) -> {
            if (!change.during().equals(control.hget(field.hash(), field.key()))) {
                return;
            }
            if (change.before() == null) {
                control.hdel(field.hash(), field.key());
            } else {
                control.hset(field.hash(), field.key(), change.before());
            }
        });
        changes.clear();
        return count;
    }
}
