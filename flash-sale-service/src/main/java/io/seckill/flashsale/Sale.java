package io.seckill.flashsale;

import io.seckill.contracts.Refusal;
import java.util.Map;
import java.util.Optional;

/** The facts of a sale that decide about an attempt, as stock-service wrote them. */
record Sale(
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
                number(fields, "start_at_ms"),
                number(fields, "end_at_ms"),
                (int) number(fields, "per_user_limit"),
                (int) number(fields, "epoch"),
                (int) number(fields, "shard_count"),
                "1".equals(fields.get("sold_out")));
    }

    /** Why nobody may try at this time; empty from the start up to, not including, the end. */
    Optional<Refusal> closed(long nowMs) {
        if (nowMs < startAtMs) {
            return Optional.of(Refusal.NOT_STARTED);
        }
        return nowMs < endAtMs ? Optional.empty() : Optional.of(Refusal.ENDED);
    }

    private static long number(Map<String, String> fields, String name) {
        try {
            return Long.parseLong(fields.get(name));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bad " + name + ": " + fields.get(name), e);
        }
    }
}
