package io.seckill.stock.limit;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The limits in the control Redis, where operators write them.
 *
 * <p>{@code seckill:limits:kept} is there once all that was lost is put back, with a new text each
 * time. So what is missing between two reads of the same text was never set, or was removed; and
 * while the key is missing what is missing was lost.
 */
@Component
final class WrittenLimits {

    /** A put back that comes later than this after its look is refused: it may be out of date. */
    private static final long PUT_BACK_MS = 1_000;

    private static final Pattern WHO = Pattern.compile("[!-~]{1,64}");

    /** Redis's time while the key is missing, else -1. */
    private static final Script LOST_AT = Script.of("""
            if redis.call('EXISTS', KEYS[1]) == 1 then return -1 end
            local time = redis.call('TIME')
            return time[1] * 1000 + math.floor(time[2] / 1000)""");

    /** What an operator wrote meanwhile stays. A hash that is none is somebody's mistake. */
    private static final Script PUT_BACK = Script.of("""
            local time = redis.call('TIME')
            local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
            if redis.call('EXISTS', KEYS[1]) == 1 or now_ms > tonumber(ARGV[2]) then
                return -1
            end
            local count = 0
            for i = 2, #KEYS do
                if redis.pcall('HSETNX', KEYS[i], ARGV[2 * i - 1], ARGV[2 * i]) == 1 then
                    count = count + 1
                end
            end
            redis.call('SET', KEYS[1], ARGV[1])
            return count""");

    private static final Script FORGET_NOTE = Script.of("""
            if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
                redis.call('HDEL', KEYS[1], ARGV[1])
            end
            return 0""");

    private final RedisClient redis;

    WrittenLimits(RedisClient redis) {
        this.redis = redis;
    }

    /**
     * What is written of a limit.
     *
     * @param value null: nothing
     * @param note {@code VALUE WHO} (of a removal {@code default WHO}) as {@code ./seckill limits}
     *     leaves it; of another value it is an old one
     */
    record Word(@Nullable Long value, @Nullable String note) {

        @Nullable
        String by() {
            String prefix = (value == null ? "default" : value) + " ";
            if (note == null || !note.startsWith(prefix)) {
                return null;
            }
            String who = note.substring(prefix.length());
            return WHO.matcher(who).matches() ? who : null;
        }
    }

    /** Nothing is known of a limit that is not in it: it is bad, or its hash is none. */
    Map<Limit, Word> read(Set<String> products) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> before = pipeline.get(RedisKeys.LIMITS_KEPT);
            Map<String, Response<List<String>>> answers = new HashMap<>();
            answers.put(Limit.EVERYBODY, ask(pipeline, Limit.EVERYBODY));
            products.forEach(product -> answers.put(product, ask(pipeline, product)));
            Response<String> after = pipeline.get(RedisKeys.LIMITS_KEPT);
            pipeline.sync();
            boolean isWhole = before.get() != null && Objects.equals(before.get(), after.get());
            Map<Limit, Word> words = new HashMap<>();
            if (isWhole) {
                answers.forEach((product, answer) -> addWords(words, product, answer));
            }
            return words;
        }
    }

    private static Response<List<String>> ask(AbstractPipeline pipeline, String product) {
        return pipeline.hmget(
                Limit.hash(product),
                keys(product).stream()
                        .flatMap(key -> List.of(key, note(key)).stream())
                        .toArray(String[]::new));
    }

    private static void addWords(
            Map<Limit, Word> words, String product, Response<List<String>> answer) {
        List<String> texts;
        try {
            texts = answer.get();
        } catch (JedisDataException e) {
            return;
        }
        List<String> keys = keys(product);
        for (int i = 0; i < keys.size(); i++) {
            String text = texts.get(2 * i);
            if (text == null || Limits.isValid(keys.get(i), text)) {
                Long value = text == null ? null : Long.valueOf(text);
                words.put(new Limit(product, keys.get(i)), new Word(value, texts.get(2 * i + 1)));
            }
        }
    }

    private static List<String> keys(String product) {
        return product.equals(Limit.EVERYBODY) ? Limits.globalKeys() : Limits.productKeys();
    }

    private static String note(String key) {
        return key + ".by";
    }

    /** When, by Redis's clock, it was seen that it has lost its limits; empty: it has not. */
    OptionalLong lostAtMs() {
        long atMs = (long) LOST_AT.run(redis, List.of(RedisKeys.LIMITS_KEPT), List.of());
        return atMs < 0 ? OptionalLong.empty() : OptionalLong.of(atMs);
    }

    /** How many were put back; empty: another instance was faster, or this one too slow. */
    OptionalLong putBack(Map<Limit, Long> values, long lostAtMs) {
        List<String> keys = new ArrayList<>(List.of(RedisKeys.LIMITS_KEPT));
        List<String> args = new ArrayList<>(
                List.of(UUID.randomUUID().toString(), Long.toString(lostAtMs + PUT_BACK_MS)));
        values.forEach((limit, value) -> {
            keys.add(limit.hash());
            args.addAll(List.of(limit.key(), Long.toString(value)));
        });
        long count = (long) PUT_BACK.run(redis, keys, args);
        return count < 0 ? OptionalLong.empty() : OptionalLong.of(count);
    }

    /** Who said so was written down; a newer note stays. */
    void forgetNote(Limit limit, @Nullable String note) {
        if (note != null) {
            FORGET_NOTE.run(redis, List.of(limit.hash()), List.of(note(limit.key()), note));
        }
    }
}
