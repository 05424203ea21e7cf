package io.seckill.flashsale.entry;

import io.seckill.common.CommonProperties;
import io.seckill.common.mq.MessageConsumer;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.TokenKeyFile;
import io.seckill.flashsale.FlashSaleProperties;
import java.time.Clock;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires what comes in: order-service's events, and the key that signs paths. */
@Configuration(proxyBeanMethods = false)
class EntryConfiguration {

    private static final int RESULT_THREADS = 2;

    @Bean
    PathSigner pathSigner(FlashSaleProperties properties, Clock clock) {
        List<TokenKeyFile.Key> keys =
                TokenKeyFile.read("seckill.token-keys", properties.tokenKeys());
        return new PathSigner(keys.get(0).secret(), clock);
    }

    @Bean
    MessageConsumer<OrderEvent> orderEvents(
            CommonProperties properties, OrderEventHandler handler) {
        return new MessageConsumer<>(
                OrderEvent.GROUP,
                properties.namesrv(),
                OrderEvent.TOPIC,
                OrderEvent.class,
                handler,
                RESULT_THREADS);
    }
}
