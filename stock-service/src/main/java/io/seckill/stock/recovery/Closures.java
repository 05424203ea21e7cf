package io.seckill.stock.recovery;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.seckill.stock.recovery.ShardView.PartView;
import io.seckill.stock.recovery.ShardView.State;
import java.time.Clock;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What each turn of the recovery found, for those who look on: it decides nothing. */
@Component
public final class Closures {

    private static final String WAITS = "waits for its turn";
    private static final String OTHERS = "another stock-service has the turn";

    private final Clock clock;
    private final Map<Key, PartView> parts = new ConcurrentHashMap<>();
    private final Map<Integer, Away> away = new ConcurrentHashMap<>(); // by shard

    private record Key(int shard, String productId) {

        static Key of(Part part) {
            return new Key(part.shard(), part.productId());
        }
    }

    private record Away(long sinceMs, String why) {}

    Closures(Clock clock) {
        this.clock = clock;
    }

    /** What a turn found: all parts of sales. */
    void found(Collection<Found> all) {
        long nowMs = clock.millis();
        Map<Integer, String> silent = all.stream()
                .filter(found -> found.state() == State.AWAY)
                .collect(toMap(
                        found -> found.part().shard(), Found::failure, (first, next) -> first));
        away.keySet().retainAll(silent.keySet());
        silent.forEach((shard, why) ->
                away.merge(shard, new Away(nowMs, why), (was, is) -> new Away(was.sinceMs(), why)));
        parts.keySet().retainAll(all.stream().map(found -> Key.of(found.part())).collect(toSet()));
        all.forEach(found ->
                parts.compute(Key.of(found.part()), (key, was) -> view(found, was, nowMs)));
    }

    private static PartView view(Found found, @Nullable PartView was, long nowMs) {
        State state = found.state();
        PartView before = was != null && was.state() == state ? was : null;
        long sinceMs = before == null ? nowMs : before.sinceMs();
        String doing = before == null ? WAITS : before.doing();
        return new PartView(
                found.part().productId(),
                found.part().epoch(),
                state,
                found.gate(),
                state == State.OPEN ? 0 : sinceMs,
                found.why(),
                state == State.CLOSED ? doing : "",
                null);
    }

    /** Whether it is this instance's turn to take back what is closed. */
    void turn(boolean isMine) {
        String was = isMine ? OTHERS : WAITS;
        String is = isMine ? WAITS : OTHERS;
        parts.replaceAll((key, part) -> part.doing().equals(was) ? part.doing(is, null) : part);
    }

    void doing(Part part, String what) {
        parts.computeIfPresent(Key.of(part), (key, view) -> view.doing(what, null));
    }

    /** It begins again. */
    void waits(Part part) {
        doing(part, WAITS);
    }

    /** A rebuild gets on. */
    void remains(Part part, long ms) {
        parts.computeIfPresent(Key.of(part), (key, view) -> view.doing(view.doing(), ms));
    }

    /** Until the next turn looks. */
    void opened(Part part, int epoch) {
        parts.computeIfPresent(Key.of(part), (key, view) -> view.opened(epoch));
    }

    /** Every shard that holds a part of a sale, by number. */
    public List<ShardView> all() {
        return parts.keySet().stream()
                .map(Key::shard)
                .distinct()
                .sorted()
                .map(this::view)
                .toList();
    }

    /** One of them; empty: no part of a sale lies on it. */
    Optional<ShardView> of(int shard) {
        return Optional.of(view(shard)).filter(view -> view.products() > 0);
    }

    private ShardView view(int shard) {
        List<PartView> its = parts.entrySet().stream()
                .filter(entry -> entry.getKey().shard() == shard)
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparing(PartView::productId))
                .toList();
        Away silent = away.get(shard);
        if (silent != null) {
            return new ShardView(
                    shard, State.AWAY, silent.sinceMs(), silent.why(), its.size(), its);
        }
        LongStream closedMs = its.stream()
                .filter(part -> part.state() != State.OPEN)
                .mapToLong(PartView::sinceMs);
        long sinceMs = closedMs.min().orElse(0);
        State state = sinceMs == 0 ? State.OPEN : State.CLOSED;
        return new ShardView(shard, state, sinceMs, "", its.size(), its);
    }
}
