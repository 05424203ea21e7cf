package io.seckill.stock.recovery;

import io.seckill.stock.recovery.ShardView.Closed;
import io.seckill.stock.recovery.ShardView.State;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** What each turn of the recovery found, for those who look on: it decides nothing. */
@Component
public final class Closures {

    private static final String TURN = "waits for its turn";

    private final Clock clock;
    private final Map<String, Closed> closed = new ConcurrentHashMap<>(); // by shard and product
    private final Map<Integer, Long> awaySinceMs = new ConcurrentHashMap<>();
    private volatile Map<Integer, Integer> products = Map.of();

    Closures(Clock clock) {
        this.clock = clock;
    }

    /** What a turn found: products by shard, shards that do not answer, parts that are closed. */
    void found(Map<Integer, Integer> all, Set<Integer> away, Map<Part, String> why) {
        long nowMs = clock.millis();
        products = Map.copyOf(all);
        awaySinceMs.keySet().retainAll(away);
        away.forEach(shard -> awaySinceMs.putIfAbsent(shard, nowMs));
        closed.keySet().retainAll(why.keySet().stream().map(Closures::key).toList());
        why.forEach((part, text) -> closed.merge(
                key(part),
                new Closed(part.productId(), part.epoch(), nowMs, text, TURN),
                (was, is) -> new Closed(
                        is.productId(), is.epoch(), was.sinceMs(), is.why(), was.doing())));
    }

    void doing(Part part, String what) {
        closed.computeIfPresent(
                key(part),
                (key, was) ->
                        new Closed(was.productId(), was.epoch(), was.sinceMs(), was.why(), what));
    }

    void opened(Part part) {
        closed.remove(key(part));
    }

    /** Every shard that holds a part of a sale, by number. */
    public List<ShardView> all() {
        return new TreeMap<>(products)
                .entrySet().stream()
                        .map(entry -> view(entry.getKey(), entry.getValue()))
                        .toList();
    }

    /** One of them; empty: no part of a sale lies on it. */
    Optional<ShardView> of(int shard) {
        return Optional.ofNullable(products.get(shard)).map(count -> view(shard, count));
    }

    private ShardView view(int shard, int count) {
        List<Closed> parts = closed.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(shard + " "))
                .map(Map.Entry::getValue)
                .sorted((one, other) -> one.productId().compareTo(other.productId()))
                .toList();
        Long away = awaySinceMs.get(shard);
        if (away != null) {
            return new ShardView(shard, State.AWAY, away, count, parts);
        }
        long sinceMs = parts.stream().mapToLong(Closed::sinceMs).min().orElse(0);
        return new ShardView(
                shard, parts.isEmpty() ? State.OPEN : State.CLOSED, sinceMs, count, parts);
    }

    private static String key(Part part) {
        return part.shard() + " " + part.productId();
    }
}
