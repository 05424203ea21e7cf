package io.seckill.flashsale.spool;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What is in the spool, in memory, so that nobody waits for a disk to read it; changed by the
 * spool's own thread, after each commit. As bounded as the spool is.
 */
final class Copy {

    private final Map<String, Spooled> waiting = new ConcurrentHashMap<>();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final Set<String> sent = ConcurrentHashMap.newKeySet();

    /** found: written by a process before this one, which may have sent them to a shard. */
    Copy(Map<String, Spooled> found) {
        waiting.putAll(found);
        sent.addAll(found.keySet());
    }

    void put(Spooled one) {
        waiting.put(one.key(), one);
    }

    void remove(String key) {
        waiting.remove(key);
        sent.remove(key);
        told.remove(key);
    }

    @Nullable
    Spooled get(String key) {
        return waiting.get(key);
    }

    boolean has(Spooled one) {
        return one.equals(waiting.get(one.key()));
    }

    /** All of them, the oldest first. */
    List<Spooled> all() {
        return waiting.values().stream()
                .sorted(Comparator.comparing(Spooled::reservationId))
                .toList();
    }

    Map<String, Spooled> map() {
        return waiting;
    }

    int size() {
        return waiting.size();
    }

    /** It was sent to a shard, perhaps, and nobody knows what the shard did. */
    boolean mayHaveBeenSent(Spooled one) {
        return sent.contains(one.key());
    }

    void sent(Spooled one, boolean perhaps) {
        if (perhaps && has(one)) {
            sent.add(one.key());
        } else {
            sent.remove(one.key());
        }
    }

    /** Whether who polls is told of it. */
    boolean isTold(Spooled one) {
        return told.contains(one.key());
    }

    void told(Spooled one) {
        if (has(one)) {
            told.add(one.key());
        }
    }
}
