package io.seckill.flashsale.query;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * What buyers were told a moment ago, so that who polls again and again asks no store.
 *
 * <p>Only PENDING and ORDERED are kept. Whoever is told one of the others (NONE, SOLD_OUT, REJECTED,
 * CANCELLED) may try again at once, and a page that hears the old word after ACCEPTED stops asking
 * for a unit that is its buyer's. To forget it with the try would not do: any instance may be asked
 * for either, and a poll does not say after which try it comes. So a loser's polls ask the stores.
 *
 * <p>An answer counts from when its stores were asked, not when they
 * answered, and for {@link #KEPT_NS}; of two the one that was asked for later stays, so nobody is
 * told a word and then an earlier one; what this instance hears from order-service counts at once.
 * Another instance may be that much ahead.
 *
 * <p>Two generations of at most {@link #MOST} answers each, of which the older is dropped whole: no
 * answer is looked at but when it is asked for. A full generation keeps no more.
 */
@Component
final class RecentAnswers {

    static final long KEPT_NS = TimeUnit.MILLISECONDS.toNanos(200);
    static final int MOST = 50_000;

    private record Key(String productId, String userId) {}

    /** Without a body: what was asked for earlier does not count any more. */
    private record Kept(@Nullable Map<String, Object> body, long askedNs) {

        Optional<Map<String, Object>> at(long nowNs) {
            return nowNs - askedNs < KEPT_NS ? Optional.ofNullable(body) : Optional.empty();
        }
    }

    private record Generations(Map<Key, Kept> young, Map<Key, Kept> old, long sinceNs) {}

    private volatile Generations generations;

    @Autowired
    RecentAnswers() {
        this(System.nanoTime());
    }

    RecentAnswers(long nowNs) {
        generations = new Generations(new ConcurrentHashMap<>(), Map.of(), nowNs);
    }

    /** What this buyer was told by what was asked for no longer ago than may be. */
    Optional<Map<String, Object>> get(String productId, String userId, long nowNs) {
        Generations now = generations;
        Key key = new Key(productId, userId);
        Kept young = now.young.get(key);
        Kept old = now.old.get(key);
        if (young == null || old == null) {
            Kept only = young == null ? old : young;
            return only == null ? Optional.empty() : only.at(nowNs);
        }
        return later(young, old).at(nowNs);
    }

    /** An answer, and when its stores were asked. */
    void put(String productId, String userId, Map<String, Object> body, long askedNs) {
        keep(new Key(productId, userId), new Kept(body, askedNs));
    }

    /** There is another word since now: whoever asks next asks the stores. */
    void forget(String productId, String userId, long nowNs) {
        keep(new Key(productId, userId), new Kept(null, nowNs));
    }

    private void keep(Key key, Kept kept) {
        Generations now = turned(kept.askedNs);
        if (now.young.size() < MOST) {
            now.young.merge(key, kept, RecentAnswers::later);
        }
    }

    /** Two that turn at once turn once too often, which forgets something and harms nobody. */
    private Generations turned(long nowNs) {
        Generations now = generations;
        if (nowNs - now.sinceNs < KEPT_NS) {
            return now;
        }
        Generations next = new Generations(new ConcurrentHashMap<>(), now.young, nowNs);
        generations = next;
        return next;
    }

    private static Kept later(Kept one, Kept other) {
        return one.askedNs - other.askedNs > 0 ? one : other;
    }
}
