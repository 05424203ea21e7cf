package io.seckill.quantity;

import java.util.Map;
import java.util.Optional;

/**
 * Everything one shard knows of a product: of one instant unless buyers never paused meanwhile.
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
    public record Kept(
            State state, String userId, int quantity, long reservedAtMs, int epoch, long seq) {

        String packed() {
            return String.join(
                    "|",
                    state.name(),
                    userId,
                    Integer.toString(quantity),
                    Long.toString(reservedAtMs),
                    Integer.toString(epoch),
                    Long.toString(seq));
        }

        static Kept of(String packed) {
            String[] parts = packed.split("\\|", -1);
            if (parts.length != 6) {
                throw new IllegalArgumentException("not a kept reservation: " + packed);
            }
            return new Kept(
                    State.valueOf(parts[0]),
                    parts[1],
                    Integer.parseInt(parts[2]),
                    Long.parseLong(parts[3]),
                    Integer.parseInt(parts[4]),
                    Long.parseLong(parts[5]));
        }
    }

    /** R reserved, X returned, B burned. */
    public enum State {
        R,
        X,
        B
    }
}
