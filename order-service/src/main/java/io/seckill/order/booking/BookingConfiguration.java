package io.seckill.order.booking;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.seckill.common.Loop;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The loops by which instances know how many they are, how many wait and for what, and what
 * monitoring sees of their pace.
 */
@Configuration(proxyBeanMethods = false)
class BookingConfiguration {

    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofMillis(500);

    @Bean
    Loop presenceLoop(OrderRate rate) {
        return Loop.every("order-presence", PAUSE, rate::sayPresent);
    }

    @Bean
    Loop backlogLoop(FailFast failFast) {
        return Loop.every("order-backlog", LOOK, failFast::look);
    }

    @Bean
    Loop heldRowsLoop(HeldRows rows) {
        return Loop.every("order-held-rows", PAUSE, rows::look);
    }

    @Bean
    MeterBinder heldRowsMetrics(HeldRows rows) {
        return registry -> Gauge.builder("seckill_held_ledger_rows", rows, HeldRows::count)
                .description("rows of the ledger that another transaction holds, as last seen")
                .tag("hop", "order")
                .register(registry);
    }

    @Bean
    MeterBinder orderRateMetrics(OrderRate rate) {
        return registry -> Gauge.builder(
                        "seckill_control_redis_up", rate, r -> r.isShared() ? 1 : 0)
                .description("1 when the control Redis counted orders last time")
                .tag("hop", "order")
                .register(registry);
    }
}
