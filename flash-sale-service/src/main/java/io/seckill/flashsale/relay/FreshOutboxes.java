package io.seckill.flashsale.relay;

import io.seckill.contracts.Bounds;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which outboxes of one shard to read now: those this process has just written to, and each second
 * those of all sales, a part in each round, so that a sweep never keeps what is fresh waiting.
 *
 * <p>The sweep finds what a process left behind that died, what a silent shard took after all, and
 * what a failed round did not hand over; so a mark may be lost and never an entry. Marks are a set
 * of at most {@link Bounds#SALES} products; beyond, the sweep alone finds them.
 */
final class FreshOutboxes {

    /** From the start of one sweep to the next. */
    static final Duration SWEEP = Duration.ofSeconds(1);

    /** Of each kind in one round: what is read must fit into memory before it is handed over. */
    static final int MAX_AT_ONCE = 64;

    private final Set<String> fresh = ConcurrentHashMap.newKeySet();
    private final Queue<String> sweep = new ArrayDeque<>();
    private long sweptAtNs;
    private boolean isSweepDue = true;
    private boolean isCut;

    /** Of this product there is an entry. From any thread, which nudges the reader after it. */
    void mark(String productId) {
        if (fresh.size() < Bounds.SALES) {
            fresh.add(productId);
        }
    }

    /** What to read, each once: a mark made from here on is for a later round. */
    Set<String> take(List<String> sales, long nowNs) {
        if (sweep.isEmpty() && (isSweepDue || nowNs - sweptAtNs >= SWEEP.toNanos())) {
            sweep.addAll(sales);
            sweptAtNs = nowNs;
            isSweepDue = false;
        }
        Set<String> products = new LinkedHashSet<>();
        Iterator<String> marked = fresh.iterator();
        while (marked.hasNext() && products.size() < MAX_AT_ONCE) {
            products.add(marked.next());
            marked.remove();
        }
        isCut = marked.hasNext();
        for (int i = 0; i < MAX_AT_ONCE && !sweep.isEmpty(); i++) {
            products.add(sweep.remove());
        }
        return products;
    }

    /** More than one round takes was there; what was marked since has a round of its own. */
    boolean hasMore() {
        return isCut || !sweep.isEmpty();
    }

    /** What was taken is not handed over: all is swept again, for the marks are gone. */
    void failed() {
        sweep.clear();
        isSweepDue = true;
    }
}
