package io.seckill.flashsale.query;

import io.seckill.contracts.Ids;

/**
 * An attempt whose outcome nobody knows.
 *
 * @param deadlineMs what no shard has taken by then none ever will; by the shard's clock, but of
 *     an attempt in a spool by that of its host
 */
record Unknown(String reservationId, String productId, String userId, long deadlineMs) {

    private static final int FIELDS = 3;

    /** Throws IllegalArgumentException for what this service has never written. */
    static Unknown of(String member, double deadlineMs) {
        String[] fields = member.split("\\|", -1);
        if (fields.length != FIELDS
                || !Ids.isReservation(fields[0])
                || !Ids.isProduct(fields[1])
                || !Ids.isUser(fields[2])) {
            throw new IllegalArgumentException("not an attempt: " + member);
        }
        return new Unknown(fields[0], fields[1], fields[2], (long) deadlineMs);
    }

    String member() {
        return reservationId + "|" + productId + "|" + userId;
    }
}
