package io.seckill.stock.sale;

import io.seckill.stock.Loop;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The two background turns. The publisher has a thread of its own: it must not wait for the
 * database or for the load of a dead shard.
 */
@Configuration(proxyBeanMethods = false)
class SaleLoops {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Bean
    Loop publishLoop(Publisher publisher) {
        return new Loop("publish", Duration.ofMillis(250), PATIENCE, publisher::turn);
    }

    @Bean
    Loop preheatLoop(Preheater preheater) {
        return new Loop("preheat", Duration.ofSeconds(1), PATIENCE, preheater::resume);
    }
}
