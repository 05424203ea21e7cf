package io.seckill.stock.recovery;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * When parts that could not be taken back are tried again: each after a pause of its own, which
 * doubles from {@link #FIRST} to {@link #LONGEST}. So one that never can be costs a try each two
 * seconds, and the others nothing.
 */
final class Retries {

    static final Duration FIRST = Duration.ofMillis(100);
    static final Duration LONGEST = Duration.ofSeconds(2);

    private final LongSupplier nanos;
    private final Map<String, Pause> pauses = new HashMap<>(); // by part

    private record Pause(long fromNs, long lengthNs) {

        Pause longer(long nowNs) {
            return new Pause(nowNs, Math.min(LONGEST.toNanos(), 2 * lengthNs));
        }
    }

    Retries(LongSupplier nanos) {
        this.nanos = nanos;
    }

    boolean isDue(Part part) {
        Pause pause = pauses.get(part.toString());
        return pause == null || nanos.getAsLong() - pause.fromNs() >= pause.lengthNs();
    }

    void failed(Part part) {
        long nowNs = nanos.getAsLong();
        pauses.merge(
                part.toString(),
                new Pause(nowNs, FIRST.toNanos()),
                (last, first) -> last.longer(nowNs));
    }

    void worked(Part part) {
        pauses.remove(part.toString());
    }

    /** The others were taken back, by whomever. */
    void keepOnly(Collection<String> parts) {
        pauses.keySet().retainAll(parts);
    }
}
