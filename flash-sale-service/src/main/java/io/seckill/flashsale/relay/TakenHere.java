package io.seckill.flashsale.relay;

import static java.util.stream.Collectors.toSet;

import io.seckill.quantity.Reserve;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this process took from one shard, until it is handed over.
 *
 * <p>Their buyers were told ACCEPTED, so what is in no outbox any more must be asked for: the shard
 * lost its last writes, or its address leads to a replica that never had them. Beyond {@link #MOST}
 * (the broker is away, and some 20 MB are full) and after {@link #KEPT} the outbox is trusted.
 */
final class TakenHere {

    static final int MOST = 100_000;

    /** Else what can never be written down would stay: of a sale that was removed, for one. */
    static final Duration KEPT = Duration.ofMinutes(10);

    private record Taken(Reserve wish, long atNs) {}

    private final Map<String, Taken> taken = new ConcurrentHashMap<>();

    void add(Reserve wish, long nowNs) {
        if (taken.size() < MOST) {
            taken.put(wish.reservationId(), new Taken(wish, nowNs));
        }
    }

    /** When; empty: another process took it, or nobody knows. */
    OptionalLong tookNs(String reservationId) {
        Taken one = taken.get(reservationId);
        return one == null ? OptionalLong.empty() : OptionalLong.of(one.atNs());
    }

    /** Handed over, or written down to be asked for. */
    void remove(String reservationId) {
        taken.remove(reservationId);
    }

    /** What there is of them. */
    Set<String> products() {
        return taken.values().stream().map(one -> one.wish().productId()).collect(toSet());
    }

    /** Not found in the outboxes of these products, read whole from then on, and should have been. */
    List<Reserve> missing(Set<String> products, Set<String> found, long readAtNs) {
        taken.values().removeIf(one -> readAtNs - one.atNs() > KEPT.toNanos());
        return taken.values().stream()
                .filter(one -> one.atNs() - readAtNs < 0
                        && products.contains(one.wish().productId())
                        && !found.contains(one.wish().reservationId()))
                .map(Taken::wish)
                .toList();
    }
}
