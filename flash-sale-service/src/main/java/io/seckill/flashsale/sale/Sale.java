package io.seckill.flashsale.sale;

import io.seckill.contracts.Refusal;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The facts of a sale that decide about an attempt, as stock-service wrote them. */
public record Sale(
        String productId,
        long startAtMs,
        long endAtMs,
        int perUserLimit,
        int epoch,
        int shardCount,
        boolean soldOut) {

    /** Throws IllegalArgumentException naming the field that is missing or no number. */
    static Sale of(String productId, Map<String, String> fields) {
        return new Sale(
                productId,
                number(fields, "start_at_ms", Long::parseLong),
                number(fields, "end_at_ms", Long::parseLong),
                number(fields, "per_user_limit", Integer::parseInt),
                number(fields, "epoch", Integer::parseInt),
                number(fields, "shard_count", Integer::parseInt),
                "1".equals(fields.get("sold_out")));
    }

    /** Why nobody may try at this time; empty from the start up to, not including, the end. */
    Optional<Refusal> closed(long nowMs) {
        if (nowMs < startAtMs) {
            return Optional.of(Refusal.NOT_STARTED);
        }
        return nowMs < endAtMs ? Optional.empty() : Optional.of(Refusal.ENDED);
    }

    private static <N> N number(
            Map<String, String> fields, String name, Function<String, N> parse) {
        try {
            return parse.apply(fields.get(name));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bad " + name + ": " + fields.get(name), e);
        }
    }
}
