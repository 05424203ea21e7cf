package io.seckill.stock.recovery;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.recovery.ShardView.State;
import java.time.Clock;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;

/**
 * What monitoring sees of each shard, as the latest turn of the recovery found it: nothing new while
 * the database is away.
 */
@Component
final class ShardGauges implements MeterBinder {

    private final Closures closures;
    private final QuantityStocks shards;
    private final Clock clock;

    ShardGauges(Closures closures, QuantityStocks shards, Clock clock) {
        this.closures = closures;
        this.shards = shards;
        this.clock = clock;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (QuantityStock shard : shards.all()) {
            for (State state : State.values()) {
                gauge("seckill_shard_state", shard.index(), view -> view.state() == state ? 1 : 0)
                        .description("1 for the state a shard is in; none while no sale lies on it")
                        .tag("state", state.name())
                        .register(registry);
            }
            gauge("seckill_shard_parts", shard.index(), ShardView::products)
                    .description("parts of sales that lie on a shard")
                    .register(registry);
            gauge("seckill_shard_closed_parts", shard.index(), ShardView::closedParts)
                    .description("parts of sales on a shard that answers but may not sell them")
                    .register(registry);
            gauge("seckill_shard_closed_seconds", shard.index(), this::closedSeconds)
                    .description("for how long a shard has been CLOSED or AWAY; 0: it is not")
                    .register(registry);
        }
    }

    private Gauge.Builder<Closures> gauge(
            String name, int shard, ToDoubleFunction<ShardView> value) {
        return Gauge.builder(name, closures, all -> value(all.of(shard), value))
                .tag("hop", "stock")
                .tag("shard", Integer.toString(shard));
    }

    private static double value(Optional<ShardView> view, ToDoubleFunction<ShardView> of) {
        return view.map(of::applyAsDouble).orElse(0.0);
    }

    private double closedSeconds(ShardView view) {
        return view.state() == State.OPEN ? 0 : (clock.millis() - view.sinceMs()) / 1_000;
    }
}
