package io.seckill.stock.limit;

import static java.util.stream.Collectors.toMap;

import io.seckill.common.Counters;
import io.seckill.stock.limit.LimitMapper.Kept;
import io.seckill.stock.limit.WrittenLimits.Word;
import java.time.Clock;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Component;

/**
 * Keeps what operators write into the control Redis in the database, each change once, and puts it
 * back when that Redis has lost its data.
 *
 * <p>What was read last of the database is older than what is then read of Redis, and the number
 * of a change is its primary key. So of two instances that see a change one writes it, and one
 * that was halted in between writes nothing: the number is taken. What it puts back it has
 * read after the loss and not more than a second ago by Redis's own clock, so it undoes no change
 * that another instance has kept meanwhile. A limit that was set before the lost ones are back
 * stays as it was set; one that was removed then comes back, for nobody can tell.
 *
 * <p>What may be lost: a change made less than a turn before the loss, or while no instance ran or
 * the database was away. A turn that finds nothing new does not ask the database.
 */
@Component
public final class LimitCopy {

    private static final Logger LOG = LoggerFactory.getLogger(LimitCopy.class);

    /** Changes that stay of each limit. */
    private static final int HISTORY = 100;

    private final WrittenLimits written;
    private final LimitMapper mapper;
    private final Counters counters;
    private final Clock clock;
    private volatile Set<String> watched = Set.of();
    private volatile @Nullable Map<Limit, Kept> known; // null: to be read of the database

    LimitCopy(WrittenLimits written, LimitMapper mapper, Counters counters, Clock clock) {
        this.written = written;
        this.mapper = mapper;
        this.counters = counters;
        this.clock = clock;
    }

    /** Sets the products whose limits are kept; each has a sale. */
    public void watch(Set<String> products) {
        watched = products;
    }

    /** As it was kept last; empty: it is not set, or not known yet. */
    public OptionalLong kept(String productId, String key) {
        Map<Limit, Kept> all = known;
        Kept kept = all == null ? null : all.get(new Limit(productId, key));
        return kept == null || kept.value() == null
                ? OptionalLong.empty()
                : OptionalLong.of(kept.value());
    }

    /** The background turn. */
    public void turn() {
        Map<Limit, Kept> all = known;
        if (all == null) {
            all = load();
        }
        OptionalLong lostAtMs = written.lostAtMs();
        if (lostAtMs.isPresent()) {
            putBack(load(), lostAtMs.getAsLong());
            return;
        }
        Set<String> products = new HashSet<>(watched);
        all.keySet().stream()
                .map(Limit::productId)
                .filter(product -> !product.equals(Limit.EVERYBODY))
                .forEach(products::add);
        for (Map.Entry<Limit, Word> each : written.read(products).entrySet()) {
            keep(all, each.getKey(), each.getValue());
        }
    }

    private Map<Limit, Kept> load() {
        Map<Limit, Kept> all = new ConcurrentHashMap<>();
        mapper.latest()
                .forEach(kept -> all.put(new Limit(kept.productId(), kept.limitKey()), kept));
        known = all;
        return all;
    }

    private void putBack(Map<Limit, Kept> all, long lostAtMs) {
        Map<Limit, Long> values = all.entrySet().stream()
                .filter(each -> each.getValue().value() != null)
                .collect(toMap(
                        Map.Entry::getKey,
                        each -> Objects.requireNonNull(each.getValue().value())));
        written.putBack(values, lostAtMs).ifPresent(count -> {
            counters.add(values.size(), "seckill_limits_lost_total");
            counters.add(count, "seckill_limits_put_back_total");
            counters.add(values.size() - count, "seckill_limits_overruled_total");
            if (values.isEmpty()) {
                LOG.info("the control Redis has no limits, and none were set");
            } else {
                LOG.warn(
                        "the control Redis had lost its limits: {} put back, {} set anew meanwhile",
                        count,
                        values.size() - count);
            }
        });
    }

    private void keep(Map<Limit, Kept> all, Limit limit, Word word) {
        Kept before = all.get(limit);
        Long old = before == null ? null : before.value();
        if (Objects.equals(old, word.value())) {
            return;
        }
        int changeNo = before == null ? 1 : before.changeNo() + 1;
        if (!isWritten(limit, changeNo, word)) {
            known = null;
            return;
        }
        all.put(limit, new Kept(limit.productId(), limit.key(), changeNo, word.value()));
        written.forgetNote(limit, word.note());
        mapper.forgetUpTo(limit, changeNo - HISTORY);
        LOG.info("{}: {} -> {}, by {}", limit, text(old), text(word.value()), word.by());
    }

    /** False: another instance did it, or the sale is gone. */
    private boolean isWritten(Limit limit, int changeNo, Word word) {
        try {
            return mapper.insert(limit, changeNo, word.value(), clock.millis(), word.by());
        } catch (DuplicateKeyException e) {
            return false;
        }
    }

    private static String text(@Nullable Long value) {
        return value == null ? "default" : value.toString();
    }
}
