package io.seckill.quantity;

import io.seckill.contracts.Ids;
import io.seckill.contracts.OrderEvent.Status;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a reservation ended whose units went back, as its user is told; a shard keeps the last one of
 * each user.
 *
 * @param status REJECTED or CANCELLED
 * @param orderSn null: REJECTED, there is no order
 */
public record Ended(
        String reservationId,
        long reservedAtMs,
        Status status,
        @Nullable String orderSn,
        String reason) {

    private static final int FIELDS = 5;

    public Ended {
        if (status == Status.ORDERED || (status == Status.CANCELLED && orderSn == null)) {
            throw new IllegalArgumentException(reservationId + " is no ended reservation");
        }
    }

    /** As it is kept; empty for what nobody has told. The reason is last, whatever is in it. */
    static Optional<Ended> of(String packed) {
        String[] fields = packed.split("\\|", FIELDS);
        if (fields.length < FIELDS || !Ids.isReservation(fields[0])) {
            return Optional.empty();
        }
        String orderSn = Ids.isOrderSn(fields[3]) ? fields[3] : null;
        try {
            return Optional.of(new Ended(
                    fields[0],
                    Long.parseLong(fields[1]),
                    Status.valueOf(fields[2]),
                    orderSn,
                    fields[4]));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    String packed() {
        String number = orderSn == null ? "" : orderSn;
        return String.join(
                "|", reservationId, Long.toString(reservedAtMs), status.name(), number, reason);
    }
}
