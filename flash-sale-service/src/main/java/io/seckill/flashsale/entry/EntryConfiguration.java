package io.seckill.flashsale.entry;

import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.Messaging;
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
    MessageConsumer orderEvents(Messaging messaging, OrderEventHandler handler) {
        return messaging.consumer(
                OrderEvent.GROUP, OrderEvent.TOPIC, OrderEvent.class, handler, RESULT_THREADS);
    }
}
