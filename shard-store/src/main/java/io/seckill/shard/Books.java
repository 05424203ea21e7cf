package io.seckill.shard;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Everything one shard knows of a product, at one instant.
 *
 * @param stock empty when the product was never loaded here
 * @param reservations by reservation id
 * @param buyers user to the id of the reservation held
 * @param outboxLength entries the relay has not handed over yet
 */
public record Books(
        Optional<StockCount> stock,
        Map<String, Kept> reservations,
        Map<String, String> buyers,
        long outboxLength) {

    /** A reservation as the shard keeps it. */
    public record Kept(State state, String userId, int quantity, long reservedAtMs) {

        static Kept of(String packed) {
            String[] parts = packed.split("\\|", -1);
            if (parts.length != 4) {
                throw new IllegalArgumentException("not a kept reservation: " + packed);
            }
            return new Kept(
                    State.valueOf(parts[0]),
                    parts[1],
                    Integer.parseInt(parts[2]),
                    Long.parseLong(parts[3]));
        }
    }

    /** R reserved, X returned, B burned, T tombstone (given back before it was taken). */
    public enum State {
        R,
        X,
        B,
        T
    }

    static Books of(List<?> reply) {
        return new Books(
                StockCount.of(strings(reply.get(0))),
                map(strings(reply.get(1)), Kept::of),
                map(strings(reply.get(2)), Function.identity()),
                (Long) reply.get(3));
    }

    private static <V> Map<String, V> map(List<String> flat, Function<String, V> value) {
        Map<String, V> map = new HashMap<>(flat.size());
        for (int i = 0; i < flat.size(); i += 2) {
            map.put(flat.get(i), value.apply(flat.get(i + 1)));
        }
        return map;
    }

    @SuppressWarnings("unchecked")
    private static List<String> strings(Object reply) {
        return (List<String>) reply;
    }
}
