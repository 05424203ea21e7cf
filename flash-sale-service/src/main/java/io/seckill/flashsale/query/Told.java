package io.seckill.flashsale.query;

import io.seckill.contracts.Json;

import org.jspecify.annotations.Nullable;

/**
 * The latest word about one reservation, as it is kept for its user: order-service's, or this
 * service's own while nobody knows and when it was found that nothing was taken.
 *
 * @param reservedAtMs tells the newest
 * @param orderSn null: there is no order
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

    static Told pending(String reservationId) {
        return of(reservationId, Status.PENDING, null);
    }

    static Told unknownOutcome(String reservationId) {
        return of(reservationId, Status.REJECTED, UNKNOWN_OUTCOME);
    }

    /** An id begins with the time at which it was made. */
    private static Told of(String reservationId, Status status, @Nullable String reason) {
        long madeAtMs = Long.parseLong(reservationId.substring(0, TIME_DIGITS), 16);
        return new Told(reservationId, madeAtMs, status, null, null, reason);
    }

    boolean isLive() {
        return status == Status.ORDERED;
    }

    boolean isFinal() {
        return status != Status.PENDING;
    }
}
