package io.seckill.flashsale.attempt;

import io.seckill.contracts.Bounds;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;

/**
 * A number per shard and product, 0 until it is set.
 *
 * <p>When there are {@link #MAX_PRODUCTS} products those that are not on sale are forgotten: 0
 * again.
 */
final class PerShard {

    static final int MAX_PRODUCTS = 2 * Bounds.SALES;

    private final Supplier<? extends Collection<String>> onSale;
    private final int shards;
    private final Map<String, AtomicLongArray> numbers = new ConcurrentHashMap<>();

    PerShard(Supplier<? extends Collection<String>> onSale, int shards) {
        this.onSale = onSale;
        this.shards = shards;
    }

    long get(String productId, int shard) {
        AtomicLongArray known = numbers.get(productId);
        return known == null ? 0 : known.get(shard);
    }

    void set(String productId, int shard, long number) {
        of(productId).set(shard, number);
    }

    boolean compareAndSet(String productId, int shard, long known, long number) {
        return of(productId).compareAndSet(shard, known, number);
    }

    private AtomicLongArray of(String productId) {
        AtomicLongArray known = numbers.get(productId);
        if (known == null) {
            if (numbers.size() >= MAX_PRODUCTS) {
                numbers.keySet().retainAll(onSale.get());
            }
            known = numbers.computeIfAbsent(productId, product -> new AtomicLongArray(shards));
        }
        return known;
    }
}
