package io.seckill.order.relay;

import io.seckill.common.Loop;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The loop that sends what was decided. */
@Configuration(proxyBeanMethods = false)
class RelayConfiguration {

    private static final Duration IDLE = Duration.ofMillis(500);

    /** What is written within this time, or while a long round rests, goes together. */
    private static final Duration APART = Duration.ofMillis(20);

    @Bean
    Loop outboxLoop(OutboxRelay relay) {
        return Loop.gathering("outbox-relay", IDLE, APART, relay::relay);
    }
}
