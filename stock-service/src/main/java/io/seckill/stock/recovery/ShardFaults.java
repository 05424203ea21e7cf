package io.seckill.stock.recovery;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Which shards could forget units: set otherwise since the preheat, which refuses such a one.
 *
 * <p>It sells on, for what it has taken is there as long as it lives, and its units are out of reach
 * when it is closed. So an operator is told, by a gauge, in the health's details, which stay green,
 * and once by the log. What a shard that is away was set to stays told until it answers.
 */
@Component
public final class ShardFaults implements HealthIndicator, MeterBinder {

    /** From one look to the next; INFO costs a shard less than a millisecond. */
    public static final Duration PERIOD = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(ShardFaults.class);

    private final QuantityStocks shards;
    private final Retirement retirement;

    /** What is wrong, by the shard's number. */
    private final Map<Integer, String> faults = new ConcurrentSkipListMap<>();

    ShardFaults(QuantityStocks shards, Retirement retirement) {
        this.shards = shards;
        this.retirement = retirement;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (QuantityStock shard : shards.all()) {
            Gauge.builder(
                            "seckill_shard_misconfigured",
                            faults,
                            all -> all.containsKey(shard.index()) ? 1 : 0)
                    .description("1 while a shard is set so that it could forget units")
                    .tag("hop", "stock")
                    .tag("shard", Integer.toString(shard.index()))
                    .register(registry);
        }
    }

    /** Asks each shard but those that were given up. Throws while the database is away. */
    public void look() {
        List<Integer> retired = retirement.retired();
        faults.keySet().removeAll(retired);
        for (QuantityStock shard : shards.all()) {
            if (retired.contains(shard.index())) {
                continue;
            }
            try {
                note(shard, shard.shard().fault());
            } catch (ShardDownException | ShardUnknownException e) {
                LOG.debug("{} is not looked at", shard, e);
            }
        }
    }

    private void note(QuantityStock shard, Optional<String> fault) {
        if (fault.isEmpty()) {
            if (faults.remove(shard.index()) != null) {
                LOG.info("{} is set as it must be again", shard);
            }
        } else if (!fault.get().equals(faults.put(shard.index(), fault.get()))) {
            LOG.error("{} could forget units that it has sold: {}", shard, fault.get());
        }
    }

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        faults.forEach((shard, why) -> health.withDetail("shard " + shard, why));
        return health.build();
    }
}
