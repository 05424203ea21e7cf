package io.seckill.flashsale.spool;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;

/** What monitoring sees of the spool. */
@Component
final class SpoolGauges implements MeterBinder {

    private final Spool spool;

    SpoolGauges(Spool spool) {
        this.spool = spool;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "entries", "attempts in the spool", each -> each.copy().size());
        gauge(registry, "bytes", "of the spool's file", Spool::bytes);
        gauge(registry, "kept_aside", "damaged records, kept for a human", Spool::asideCount);
        gauge(
                registry,
                "canary_age_seconds",
                "since the canary, or the start, came through the spool",
                each -> each.canaryAgeMs() / 1e3);
        gauge(
                registry,
                "sound",
                "1 while the canary came through the spool; 0: it takes nothing",
                each -> each.isSound() ? 1 : 0);
    }

    private void gauge(
            MeterRegistry registry, String name, String what, ToDoubleFunction<Spool> value) {
        Gauge.builder("seckill_spool_" + name, spool, value)
                .description(what)
                .tag("hop", "flash-sale")
                .register(registry);
    }
}
