package io.seckill.flashsale.attempt;

import io.seckill.contracts.Refusal;

import java.util.Map;

/** What became of a try to buy. */
public sealed interface AttemptOutcome {

    /** A unit is the buyer's under this reservation. */
    record Accepted(String reservationId) implements AttemptOutcome {}

    /** Nobody knows whether a unit is the buyer's; it will be found out under this reservation. */
    record Pending(String reservationId) implements AttemptOutcome {}

    /** The buyer holds this reservation by an earlier try of the same wish under the same key. */
    record Repeated(String reservationId) implements AttemptOutcome {}

    /**
     * The try took no unit; or, where it is unknown, perhaps one.
     *
     * @param message for the buyer: what to do
     * @param more fields of the answer beside code and message
     * @param nothingLeft every shard of the sale said that it holds no unit
     * @param isUnknown a shard was asked and did not answer in time
     */
    record Refused(
            Refusal refusal,
            String message,
            Map<String, Object> more,
            boolean nothingLeft,
            boolean isUnknown)
            implements AttemptOutcome {

        private Refused(
                Refusal refusal, String message, Map<String, Object> more, boolean nothingLeft) {
            this(refusal, message, more, nothingLeft, false);
        }
    }

    /** idEnding: what the ids of this wish end in, empty without a key. */
    default AttemptOutcome orRepeated(String idEnding) {
        return !idEnding.isEmpty()
                        && this instanceof Refused refused
                        && refused.more().get("reservationId") instanceof String id
                        && id.endsWith(idEnding)
                ? new Repeated(id)
                : this;
    }

    /** Nobody knows whether a unit was taken, and nobody will find out. */
    static Refused unknown() {
        return new Refused(Refusal.BUSY, Refusal.BUSY.message(), Map.of(), false, true);
    }

    /** In the table's words. */
    static Refused refused(Refusal refusal) {
        return new Refused(refusal, refusal.message(), Map.of(), false);
    }

    /** A header is not as the edge makes it. */
    static Refused malformed(String header) {
        return new Refused(Refusal.BAD_REQUEST, header + " is malformed", Map.of(), false);
    }

    static Refused overLimit(int perUserLimit) {
        String message = "quantity: at most " + perUserLimit + " per buyer";
        return new Refused(Refusal.BAD_REQUEST, message, Map.of(), false);
    }

    static Refused alreadyBought(String reservationId) {
        return new Refused(
                Refusal.ALREADY_BOUGHT,
                Refusal.ALREADY_BOUGHT.message(),
                Map.of("reservationId", reservationId),
                false);
    }

    static Refused nothingLeft() {
        return new Refused(Refusal.SOLD_OUT, Refusal.SOLD_OUT.message(), Map.of(), true);
    }

    /** Units are left, but no shard has as many as were asked for; one order is of one shard. */
    static Refused tooFewLeft() {
        String message = "So many are not left in one place; try with a smaller quantity";
        return new Refused(Refusal.SOLD_OUT, message, Map.of(), false);
    }
}
