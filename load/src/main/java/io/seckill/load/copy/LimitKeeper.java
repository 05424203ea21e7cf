package io.seckill.load.copy;

import static java.util.Objects.requireNonNullElse;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.load.AtCtrlC;
import io.seckill.load.Progress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Changes limits for a run and puts back what was there: the value, or nothing.
 *
 * <p>A limit is put back only while it still has the value of this run: what an operator changed
 * meanwhile is the operator's. Also put back, and said so, when the run is ended by Ctrl-C. Where
 * that fails the commands that do it are said, and the run goes on to tell what it measured.
 */
public final class LimitKeeper implements AutoCloseable {

    private static final long FELT_MS = 1_200; // contracts: within a second, by every hop

    private final RedisClient control;
    private final Map<Field, Change> changes = new LinkedHashMap<>();
    private final Set<String> left = new TreeSet<>(); // fields that somebody else has changed
    private boolean isOver;
    private final AtCtrlC atCtrlC = new AtCtrlC("put-limits-back", this::interrupted);

    public LimitKeeper(RunningCopy copy) {
        this(copy.controlRedis());
    }

    LimitKeeper(String controlRedis) {
        RedisEndpoint endpoint = RedisEndpoint.of("SECKILL_CONTROL_REDIS", controlRedis);
        control = RedisClient.builder()
                .hostAndPort(endpoint.host(), endpoint.port())
                .build();
    }

    /** productId: empty where the limit is everybody's. */
    private record Field(String productId, String key) {

        String hash() {
            return productId.isEmpty() ? RedisKeys.LIMITS : RedisKeys.productLimits(productId);
        }

        String words() {
            return productId.isEmpty() ? key : key + " of product " + productId;
        }
    }

    private record Change(@Nullable String before, String during) {}

    public void putGlobal(String key, long value) {
        put(new Field("", key), Long.toString(value));
    }

    public void putOfProduct(String productId, String key, long value) {
        put(new Field(productId, key), Long.toString(value));
    }

    private synchronized void put(Field field, String value) {
        if (isOver) {
            throw new IllegalStateException("the limits were put back meanwhile");
        }
        if (!Limits.isValid(field.key(), value)) {
            throw new IllegalArgumentException(field.key() + " cannot be " + value);
        }
        String before = control.hget(field.hash(), field.key());
        control.hset(field.hash(), field.key(), value);
        changes.merge(
                field, new Change(before, value), (old, now) -> new Change(old.before(), value));
    }

    /** Until every hop feels what was put. */
    public static void awaitFelt() throws InterruptedException {
        Thread.sleep(FELT_MS);
    }

    /** What is in force for all. */
    public long global(String key) {
        return written(new Field("", key));
    }

    /** What is in force for a product. */
    public long ofProduct(String productId, String key) {
        return written(new Field(productId, key));
    }

    private long written(Field field) {
        String value = control.hget(field.hash(), field.key());
        return Limits.effective(field.key(), value, Limits.initial(field.key()));
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

    private synchronized void interrupted() {
        boolean hadChanged = !changes.isEmpty();
        if (putBack() && hadChanged) {
            Progress.warn("interrupted; " + words());
        }
    }

    /** False, and said, when some could not be put back; none can be changed any more. */
    public synchronized boolean putBack() {
        isOver = true;
        List<String> commands = new ArrayList<>();
        String why = "";
        for (Map.Entry<Field, Change> each : List.copyOf(changes.entrySet())) {
            try {
                putBack(each.getKey(), each.getValue());
                changes.remove(each.getKey());
            } catch (JedisException e) {
                why = String.valueOf(e.getMessage());
                command(each.getKey(), each.getValue())
                        .ifPresentOrElse(commands::add, () -> changes.remove(each.getKey()));
            }
        }
        if (!changes.isEmpty()) {
            Progress.warn("limits of this run are left (control Redis: " + why + "); "
                    + String.join("; ", commands) + " puts them back");
        }
        return changes.isEmpty();
    }

    private void putBack(Field field, Change change) {
        if (!change.during().equals(control.hget(field.hash(), field.key()))) {
            left.add(field.words());
        } else if (change.before() == null) {
            control.hdel(field.hash(), field.key());
        } else {
            control.hset(field.hash(), field.key(), change.before());
        }
    }

    /** None for a product that had no limit of its own: that goes with its sale. */
    private static Optional<String> command(Field field, Change change) {
        String value = requireNonNullElse(change.before(), "" + Limits.initial(field.key()));
        if (field.productId().isEmpty()) {
            return Optional.of("./seckill limits set " + field.key() + " " + value);
        }
        return change.before() == null
                ? Optional.empty()
                : Optional.of("./seckill limits product " + field.productId() + " " + field.key()
                        + " " + value);
    }

    /** How they are once they were put back. */
    public synchronized String words() {
        if (!changes.isEmpty()) {
            return "limits of this run are left";
        }
        return "the limits are as they were"
                + (left.isEmpty()
                        ? ""
                        : ", but for what was changed meanwhile: " + String.join(", ", left));
    }
}
