package io.seckill.stock.reconcile;

import io.seckill.common.Counters;
import io.seckill.common.CrashPoint;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Counts what was found, by kind, and says each kind once per shard. One thread uses it. */
@Component
final class Repairs {

    private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);

    private final Counters counters;
    private final Set<String> said = new HashSet<>(); // at most kinds times shards

    Repairs(Counters counters) {
        this.counters = counters;
    }

    void repaired(String kind, String productId, int shard, String what) {
        CrashPoint.REPAIR_MADE.reached(productId);
        count(kind, "seckill_repaired_total");
        if (said.add(kind + shard)) {
            LOG.warn("shard {}: {} was repaired: {}; more are only counted", shard, kind, what);
        }
    }

    void unexplained(String kind, int shard, String what) {
        count(kind, "seckill_unexplained_total");
        if (said.add(kind + shard)) {
            LOG.error(
                    "shard {}: {} is left as it is: {}; more are only counted", shard, kind, what);
        }
    }

    private void count(String kind, String end) {
        counters.count("seckill_differences_total", kind);
        counters.count(end);
    }
}
