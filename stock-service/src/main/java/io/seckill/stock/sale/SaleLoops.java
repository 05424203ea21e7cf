package io.seckill.stock.sale;

import io.seckill.common.Loop;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The two background turns. The publisher has a thread of its own: it must not wait for the
 * database or for the load of a dead shard.
 */
@Configuration(proxyBeanMethods = false)
class SaleLoops {

    @Bean
    Loop publishLoop(Publisher publisher) {
        return Loop.every("publish", Duration.ofMillis(250), publisher::turn);
    }

    @Bean
    Loop preheatLoop(Preheater preheater) {
        return Loop.every("preheat", Duration.ofSeconds(1), preheater::resume);
    }
}
