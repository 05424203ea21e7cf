package io.seckill.stock.relay;

import io.seckill.contracts.Limits;
import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.limit.LimitCopy;
import io.seckill.stock.sale.Sale;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Keeps the control Redis right about open sales: facts, sold out or not, quota.
 *
 * <p>Every turn compares what is written with what is true and writes the difference, so a wiped
 * Redis, a lost key and an edit by hand are all repaired by the next turn, and two instances write
 * the same. A turn needs no database. Sold out is said only when every shard answered "nothing
 * left"; it is a hint that spares attempts, and a unit that comes back takes it back.
 */
@Component
public final class CatalogRelay {

    /** Longer than the broker keeps a message (720 h, broker.conf). */
    public static final Duration REMEMBERED = Duration.ofDays(31);

    private final Catalog catalog;
    private final QuantityStocks shards;
    private final LimitCopy limits;

    /** Last good {@code quota_percent} by product; one entry per sale watched. */
    private final Map<String, Long> percents = new ConcurrentHashMap<>();

    private volatile List<Sale> watched = List.of();

    CatalogRelay(Catalog catalog, QuantityStocks shards, LimitCopy limits) {
        this.catalog = catalog;
        this.shards = shards;
        this.limits = limits;
    }

    /** Sets the sales that each turn publishes: open ones, and those that end to be removed. */
    public void watch(List<Sale> opened) {
        watched = opened;
        Set<String> products = opened.stream().map(Sale::productId).collect(Collectors.toSet());
        percents.keySet().retainAll(products);
        limits.watch(products);
    }

    /** The background turn. */
    public void turn() {
        publish(watched);
    }

    /**
     * Publishes opened sales now. One that cannot be published does not keep the others from it.
     */
    public void publish(List<Sale> sales) {
        List<Supplier<Catalog.Entry>> found = catalog.read(sales);
        UnitsLeft left = new UnitsLeft(shards);
        RuntimeException failure = null;
        for (int i = 0; i < sales.size(); i++) {
            try {
                publish(sales.get(i), found.get(i).get(), left.of(sales.get(i)));
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Another instance may have removed it a moment ago. */
    private void publish(Sale sale, Catalog.Entry found, UnitsLeft.Count left) {
        if (found.isRemoved() && sale.synthetic()) {
            return; // what it had left is wiped by whoever removed it
        }
        long percent = percent(sale.productId(), found);
        catalog.write(sale, found, left, percent);
    }

    /** A sale that was removed is unknown from now on, for as long as a message of it may come. */
    public void remove(String productId, long removedAtMs) {
        catalog.remove(productId, removedAtMs + REMEMBERED.toMillis());
    }

    /** What these users were told of a product that was removed. */
    public void removeResults(String productId, Collection<String> users) {
        catalog.removeResults(productId, users);
    }

    /**
     * A bad value, or a lost one, keeps the last good one; a missing value is the default. The last
     * good one is what the quota was made by, so that all instances have the same.
     */
    private long percent(String productId, Catalog.Entry found) {
        String used = found.quota().percent();
        long lastGood = Limits.isValid(Limits.QUOTA_PERCENT, used)
                ? Long.parseLong(used)
                : percents.getOrDefault(productId, firstPercent(productId));
        boolean isLost = found.percent() == null && !found.areLimitsKept();
        long percent = isLost
                ? lastGood
                : Limits.effective(Limits.QUOTA_PERCENT, found.percent(), lastGood);
        percents.put(productId, percent);
        return percent;
    }

    private long firstPercent(String productId) {
        return limits.kept(productId, Limits.QUOTA_PERCENT)
                .orElse(Limits.initial(Limits.QUOTA_PERCENT));
    }
}
