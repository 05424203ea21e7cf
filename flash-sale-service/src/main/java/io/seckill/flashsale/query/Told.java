package io.seckill.flashsale.query;

import io.seckill.contracts.Json;
import io.seckill.quantity.Ended;

import org.jspecify.annotations.Nullable;

/**
 * The latest word about one reservation, as it is kept for its user: order-service's (its event, or
 * what the shard says of a unit that is back), or this service's own while nobody knows and when it
 * was found that nothing was taken.
 *
 * @param reservedAtMs tells the newest
 * @param orderSn null: there is no order
 * @param payByMs null: there is no order, or it ended and its event has not come
 */
record Told(
        String reservationId,
        long reservedAtMs,
        Status status,
        @Nullable String orderSn,
        @Nullable Long payByMs,
        @Nullable String reason) {

    /** The reason of a reservation that was never made; contracts has all. */
    private static final String UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME";

    private static final int RANK_AND_BLANK = 2;
    private static final int TIME_DIGITS = 12;

    /** PENDING: nobody knows; else as order-service says. */
    enum Status {
        PENDING,
        ORDERED,
        REJECTED,
        CANCELLED
    }

    /** As store_result.lua and store_unknown.lua keep it. */
    static Told of(String kept) {
        return Json.read(kept.substring(RANK_AND_BLANK), Told.class);
    }

    /** As the shard says it that got the units back. */
    static Told of(Ended ended) {
        return new Told(
                ended.reservationId(),
                ended.reservedAtMs(),
                Status.valueOf(ended.status().name()),
                ended.orderSn(),
                null,
                ended.reason());
    }

    static Told pending(String reservationId) {
        return of(reservationId, Status.PENDING, null);
    }

    static Told unknownOutcome(String reservationId) {
        return of(reservationId, Status.REJECTED, UNKNOWN_OUTCOME);
    }

    static Told rejected(String reservationId, String reason) {
        return of(reservationId, Status.REJECTED, reason);
    }

    private static Told of(String reservationId, Status status, @Nullable String reason) {
        return new Told(reservationId, madeAtMs(reservationId), status, null, null, reason);
    }

    /** An id begins with the time at which it was made. */
    static long madeAtMs(String reservationId) {
        return Long.parseLong(reservationId.substring(0, TIME_DIGITS), 16);
    }

    boolean isOfSame(Told other) {
        return reservationId.equals(other.reservationId);
    }

    boolean isLive() {
        return status == Status.ORDERED;
    }

    boolean isFinal() {
        return status != Status.PENDING;
    }
}
