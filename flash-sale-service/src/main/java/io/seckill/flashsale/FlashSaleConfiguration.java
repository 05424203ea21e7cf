package io.seckill.flashsale;

import io.seckill.common.Address;
import io.seckill.common.CommonProperties;
import io.seckill.common.Loop;
import io.seckill.common.mq.MessageConsumer;
import io.seckill.contracts.OrderEvent;
import io.seckill.shard.Shard;
import io.seckill.shard.Shards;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires what is not a component by itself. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(FlashSaleProperties.class)
class FlashSaleConfiguration {

    private static final int RESULT_THREADS = 2;
    private static final Duration REMINDERS_IDLE = Duration.ofMillis(500);

    @Bean(destroyMethod = "close")
    Shards shards(FlashSaleProperties properties) {
        List<Address> addresses = properties.shards();
        return new Shards(IntStream.range(0, addresses.size())
                .mapToObj(i ->
                        new Shard(i, addresses.get(i).host(), addresses.get(i).port()))
                .toList());
    }

    @Bean
    PathSigner pathSigner(FlashSaleProperties properties, Clock clock) {
        return new PathSigner(KeyFile.firstSecret(properties.tokenKeys()), clock);
    }

    @Bean
    Loop salesLoop(Sales sales) {
        return Loop.every("sales", Sales.PERIOD, sales::refresh);
    }

    @Bean
    Loop remindersLoop(Reminders reminders) {
        return new Loop("reminders", REMINDERS_IDLE, reminders::send);
    }

    @Bean
    MessageConsumer<OrderEvent> orderEvents(
            @Value("${spring.application.name}") String service,
            CommonProperties properties,
            OrderEventHandler handler) {
        return new MessageConsumer<>(
                service,
                properties.namesrv(),
                OrderEvent.TOPIC,
                OrderEvent.class,
                handler,
                RESULT_THREADS);
    }
}
