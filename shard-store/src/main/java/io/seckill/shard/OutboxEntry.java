package io.seckill.shard;

import io.seckill.contracts.Reservation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A taken reservation that still has to be handed over. {@code id} is the stream's. */
public record OutboxEntry(String productId, String id, Map<String, String> fields) {

    static OutboxEntry of(String productId, String id, List<String> flat) {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            fields.put(flat.get(i), flat.get(i + 1));
        }
        return new OutboxEntry(productId, id, fields);
    }

    /** Throws IllegalArgumentException when the entry is not what reserve.lua writes. */
    public Reservation reservation(int shard) {
        return new Reservation(
                fields.get("reservation_id"),
                productId,
                fields.get("user_id"),
                number("quantity", Integer::parseInt),
                shard,
                number("epoch", Integer::parseInt),
                number("seq", Long::parseLong),
                number("reserved_at_ms", Long::parseLong));
    }

    private <N> N number(String field, Function<String, N> parse) {
        try {
            return parse.apply(fields.get(field));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bad " + field + ": " + fields.get(field), e);
        }
    }
}
