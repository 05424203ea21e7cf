package io.seckill.order.relay;

import io.seckill.common.Loop;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The loop that sends what was decided. */
@Configuration(proxyBeanMethods = false)
class RelayConfiguration {

    private static final Duration IDLE = Duration.ofMillis(500);

    @Bean
    Loop outboxLoop(OutboxRelay relay) {
        return new Loop("outbox-relay", IDLE, relay::relay);
    }
}
