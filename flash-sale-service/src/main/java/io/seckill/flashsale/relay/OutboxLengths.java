package io.seckill.flashsale.relay;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * How many entries wait in the outboxes of one shard, as each was read last: a second ago at most,
 * but while the shard is away. What others hand over meanwhile counts until the next reading.
 * Written by the relay's thread; those that are empty take no room, nor those of a sale that is gone.
 */
final class OutboxLengths {

    private final Map<String, Long> waiting = new ConcurrentHashMap<>();

    void read(String productId, long entries) {
        if (entries == 0) {
            waiting.remove(productId);
        } else {
            waiting.put(productId, entries);
        }
    }

    /** What nobody reads any more counts no more. */
    void keepOnly(Predicate<String> isRead) {
        waiting.keySet().removeIf(isRead.negate());
    }

    void handedOver(String productId, long entries) {
        waiting.computeIfPresent(
                productId, (product, known) -> known > entries ? known - entries : null);
    }

    long sum() {
        return waiting.values().stream().mapToLong(Long::longValue).sum();
    }
}
