package io.seckill.order.closing;

import io.seckill.common.Loop;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The loop that closes what nobody paid. */
@Configuration(proxyBeanMethods = false)
class ClosingConfiguration {

    private static final Duration IDLE = Duration.ofSeconds(1);

    @Bean
    Loop unpaidLoop(UnpaidSweep sweep) {
        return new Loop("unpaid-sweep", IDLE, sweep::sweep);
    }
}
