package io.seckill.load.run;

import java.util.List;
import java.util.Map;

/**
 * What the crowd was told, as its client counted it.
 *
 * @param refused with other codes than SOLD_OUT, ALREADY_BOUGHT and BUSY
 * @param unknown BUSY, or no answer at all
 * @param emptyHanded buyers who were told that there is no unit for them
 * @param gaveUp buyers who were told to come again until they had no tries left
 * @param ordered, rejected final words on accepted attempts
 * @param noResult buyers who held a unit and got no final word
 * @param times by {@link #ATTEMPT} and so on; none for what did not happen
 * @param breached thresholds that do not hold, in words
 */
record Outcome(
        long attempts,
        long accepted,
        long refused,
        long soldOut,
        long alreadyBought,
        long unknown,
        long emptyHanded,
        long gaveUp,
        long ordered,
        long rejected,
        long noResult,
        double seconds,
        boolean generatorWasTheLimit,
        Map<String, Quantiles> times,
        List<String> breached) {

    static final String ATTEMPT = "attempt_time";
    static final String REFUSED = "refused_time";
    static final String ACCEPTED = "accepted_time";
    static final String ORDERED = "accepted_to_ordered";

    /** Milliseconds below which half, 95 % and 99 % lie. */
    record Quantiles(double p50, double p95, double p99) {}
}
