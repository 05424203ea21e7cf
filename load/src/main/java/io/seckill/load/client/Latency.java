package io.seckill.load.client;

import java.util.Arrays;

/** All latencies of one kind, kept one by one: quantiles are exact. */
public final class Latency {

    private long[] ns = new long[1024];
    private int count;

    public void add(long one) {
        if (count == ns.length) {
            ns = Arrays.copyOf(ns, count * 2);
        }
        ns[count++] = one;
    }

    public int count() {
        return count;
    }

    /** Milliseconds below which this fraction lies; NaN when there is none. */
    public double ms(double fraction) {
        long[] sorted = Arrays.copyOf(ns, count);
        Arrays.sort(sorted);
        return count == 0
                ? Double.NaN
                : sorted[Math.min(count - 1, (int) (count * fraction))] / 1e6;
    }
}
