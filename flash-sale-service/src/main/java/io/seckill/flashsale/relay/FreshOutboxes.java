package io.seckill.flashsale.relay;

import io.seckill.contracts.Bounds;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which outboxes of one shard to read now: those this process has just written to, and each second
 * those of all sales.
 *
 * <p>The sweep finds what a process left behind that died, what a silent shard took after all, and
 * what a failed round did not hand over; so a mark may be lost and never an entry. Marks are a set
 * of at most {@link Bounds#SALES} products; beyond, the sweep alone finds them.
 */
final class FreshOutboxes {

    /** From the end of one sweep to the next. */
    static final Duration SWEEP = Duration.ofSeconds(1);

    private final Set<String> fresh = ConcurrentHashMap.newKeySet();
    private long sweptAtNs;
    private boolean isSweepDue = true;

    /** Of this product there is an entry. From any thread. */
    void mark(String productId) {
        if (fresh.size() < Bounds.SALES) {
            fresh.add(productId);
        }
    }

    /** What to read, each once: a mark made from here on is for the next round. */
    Set<String> take(List<String> sales, long nowNs) {
        Set<String> products = new HashSet<>();
        fresh.removeIf(products::add);
        isSweepDue |= nowNs - sweptAtNs >= SWEEP.toNanos();
        if (isSweepDue) {
            products.addAll(sales);
        }
        return products;
    }

    /** What was taken is handed over; else the next round sweeps. */
    void done(long nowNs) {
        if (isSweepDue) {
            sweptAtNs = nowNs;
        }
        isSweepDue = false;
    }

    void failed() {
        isSweepDue = true;
    }
}
