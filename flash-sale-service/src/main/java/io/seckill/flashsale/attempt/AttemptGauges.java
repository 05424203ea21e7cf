package io.seckill.flashsale.attempt;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.Shard;
import java.time.Clock;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;

/** What monitoring sees of each shard as attempts meet it from this process. */
@Component
final class AttemptGauges implements MeterBinder {

    private final QuantityStocks shards;
    private final UnderWay underWay;
    private final Clock clock;

    AttemptGauges(QuantityStocks shards, UnderWay underWay, Clock clock) {
        this.shards = shards;
        this.underWay = underWay;
        this.clock = clock;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (QuantityStock stock : shards.all()) {
            Shard shard = stock.shard();
            gauge("seckill_shard_left_out", shard, each -> each.isLeftOut() ? 1 : 0)
                    .description(
                            "1 while a shard that was silent is asked for nothing but the time")
                    .register(registry);
            gauge("seckill_shard_attempts", shard, each -> underWay.count(each.index()))
                    .description("attempts on their way to a shard, unknown ones included")
                    .register(registry);
            gauge("seckill_shard_waiting_calls", shard, Shard::waiting)
                    .description("calls that wait to be sent to a shard")
                    .register(registry);
            gauge("seckill_shard_clock_offset_seconds", shard, this::offsetSeconds)
                    .description("by how much a shard's clock is ahead of this host's")
                    .register(registry);
        }
    }

    private double offsetSeconds(Shard shard) {
        return (shard.clock().millis() - clock.millis()) / 1e3;
    }

    private static Gauge.Builder<Shard> gauge(
            String name, Shard shard, ToDoubleFunction<Shard> value) {
        return Gauge.builder(name, shard, value)
                .tag("hop", "flash-sale")
                .tag("shard", Integer.toString(shard.index()));
    }
}
