package io.seckill.load.copy;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisEndpoint;
import java.util.LinkedHashMap;
import java.util.Map;
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
    private final Thread interrupted = new Thread(this::interrupted, "put-limits-back");

    public LimitKeeper(RunningCopy copy) {
        RedisEndpoint endpoint = RedisEndpoint.of("SECKILL_CONTROL_REDIS", copy.controlRedis());
        control = RedisClient.builder()
                .hostAndPort(endpoint.host(), endpoint.port())
                .build();
        Runtime.getRuntime().addShutdownHook(interrupted);
    }

    private record Field(String hash, String key) {}

    private record Change(@Nullable String before, String during) {}

    public synchronized void put(String hash, String key, String value) {
        if (!Limits.isValid(key, value)) {
            throw new IllegalArgumentException(key + " cannot be " + value);
        }
        Field field = new Field(hash, key);
        String before = control.hget(hash, key);
        control.hset(hash, key, value);
        changes.merge(
                field, new Change(before, value), (old, now) -> new Change(old.before(), value));
    }

    /** Values by key, as they are in force for a hash of limits; what is not set is not in it. */
    public Map<String, String> written(String hash) {
        return control.hgetAll(hash);
    }

    @Override
    public void close() {
        putBack();
        Runtime.getRuntime().removeShutdownHook(interrupted);
        control.close();
    }

    private void interrupted() {
        if (putBack() > 0) {
            System.err.println("seckill: interrupted; the limits are as they were");
        }
    }

    private synchronized int putBack() {
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
