package io.seckill.blackbox;

import io.seckill.contracts.RedisKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Transaction;

/** What one shard holds of a product, and what happens to it past all services. */
final class ShardStore {

    private static final int MADE_AT = 3; // STATE|user|quantity|ms|epoch|seq
    private static final String LONG_AGO_MS = "1000";

    private final Copy copy;
    private final int number;
    private final String productId;

    ShardStore(Copy copy, int number, String productId) {
        this.copy = copy;
        this.number = number;
        this.productId = productId;
    }

    /** Key → field → value, of all that a reservation changes but the outbox. */
    record Held(Map<String, Map<String, String>> hashes, long outbox) {}

    Held held() {
        try (Jedis redis = connect()) {
            Map<String, Map<String, String>> hashes = new HashMap<>();
            for (String key : keys()) {
                hashes.put(key, redis.hgetAll(key));
            }
            return new Held(hashes, redis.xlen(RedisKeys.outbox(productId)));
        }
    }

    /** At once, while it sells: as a fail-back does that keeps the process and its connections. */
    void putBack(Held earlier) {
        try (Jedis redis = connect();
                Transaction atOnce = redis.multi()) {
            for (String key : keys()) {
                atOnce.del(key);
                Map<String, String> hash = earlier.hashes().get(key);
                if (!hash.isEmpty()) {
                    atOnce.hset(key, hash);
                }
            }
            atOnce.exec();
        }
    }

    private List<String> keys() {
        return List.of(
                RedisKeys.stock(productId),
                RedisKeys.buyers(productId),
                RedisKeys.reservations(productId));
    }

    String counter(String field) {
        try (Jedis redis = connect()) {
            return redis.hget(RedisKeys.stock(productId), field);
        }
    }

    void setCounter(String field, String value) {
        try (Jedis redis = connect()) {
            redis.hset(RedisKeys.stock(productId), field, value);
        }
    }

    /** Whether the user's units are here. */
    boolean holdsFor(String user) {
        try (Jedis redis = connect()) {
            return redis.hexists(RedisKeys.buyers(productId), user);
        }
    }

    long reservations() {
        try (Jedis redis = connect()) {
            return redis.hlen(RedisKeys.reservations(productId));
        }
    }

    /** The user's was made so long ago that nothing of it can be on its way any more. */
    void age(String user) {
        String key = RedisKeys.reservations(productId);
        try (Jedis redis = connect()) {
            String id = redis.hget(RedisKeys.buyers(productId), user);
            String[] parts = redis.hget(key, id).split("\\|");
            parts[MADE_AT] = LONG_AGO_MS;
            redis.hset(key, id, String.join("|", parts));
        }
    }

    /** What the outbox was to tell of the user is lost: so many entries. */
    long forgetEntries(String user) {
        String key = RedisKeys.outbox(productId);
        try (Jedis redis = connect()) {
            return redis.xrange(key, "-", "+").stream()
                    .filter(entry -> user.equals(entry.getFields().get("user_id")))
                    .mapToLong(entry -> redis.xdel(key, entry.getID()))
                    .sum();
        }
    }

    /** Its data as it is on disk now. */
    Path backup() {
        try {
            return replace(data(), Files.createTempDirectory("seckill-shard-").resolve("data"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Killed, and started with what a backup has: the writes since then are lost. */
    void restartWith(Path backup) {
        copy.kill(part());
        replace(backup, data());
        copy.must("restart", part());
    }

    void restartEmpty() {
        copy.kill(part());
        delete(data());
        copy.must("restart", part());
    }

    private String part() {
        return "shard-" + number;
    }

    private Path data() {
        return copy.folder(part()).resolve("appendonlydir");
    }

    private static Path replace(Path from, Path to) {
        delete(to);
        try (Stream<Path> files = Files.list(from)) {
            Files.createDirectory(to);
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
            return to;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Jedis connect() {
        return new Jedis("127.0.0.1", copy.shardPort(number));
    }
}
