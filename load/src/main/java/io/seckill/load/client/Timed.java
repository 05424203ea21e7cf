package io.seckill.load.client;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Other traffic for a given time: then nothing new is sent, but what was sent is tried again until
 * its word is final, for an attempt that was told BUSY may have been taken. Counts what was
 * accepted in each second of the time.
 */
public final class Timed implements Traffic {

    private final Traffic inner;
    private final LongSupplier nanoTime;
    private final long[] acceptedInSecond;
    private long startNs;
    private int sent;

    public Timed(Traffic inner, int seconds) {
        this(inner, seconds, System::nanoTime);
    }

    Timed(Traffic inner, int seconds, LongSupplier nanoTime) {
        this.inner = inner;
        this.nanoTime = nanoTime;
        acceptedInSecond = new long[seconds];
    }

    @Override
    public int size() {
        return isOver() ? sent : inner.size();
    }

    @Override
    public byte[] request(int number) {
        if (sent == 0) {
            startNs = nanoTime.getAsLong();
        }
        sent = Math.max(sent, number + 1);
        return inner.request(number);
    }

    @Override
    public long againAfterMs(Answer answer) {
        if (answer.word().equals("ACCEPTED") && !isOver()) {
            acceptedInSecond[second()]++;
        }
        return inner.againAfterMs(answer);
    }

    @Override
    public long againAfterLossMs(int number) {
        return inner.againAfterLossMs(number);
    }

    private boolean isOver() {
        return sent > 0 && second() >= acceptedInSecond.length;
    }

    private int second() {
        return (int) ((nanoTime.getAsLong() - startNs) / 1_000_000_000);
    }

    /** Accepted in each second since the first request; what was answered later is in none. */
    public long[] acceptedInSecond() {
        return acceptedInSecond.clone();
    }

    public double acceptedPerSecond() {
        return (double) Arrays.stream(acceptedInSecond).sum() / acceptedInSecond.length;
    }

    /** There were more to send than the time had room for. */
    public boolean lasted() {
        return sent < inner.size();
    }
}
