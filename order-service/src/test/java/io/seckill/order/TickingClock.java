package io.seckill.order;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that a test sets. */
public final class TickingClock extends Clock {

    public volatile long ms;

    public TickingClock(long ms) {
        this.ms = ms;
    }

    /** Stands in for a pause: the time passes at once. */
    public synchronized void pass(long passedMs) {
        ms += passedMs;
    }

    @Override
    public long millis() {
        return ms;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(ms);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
