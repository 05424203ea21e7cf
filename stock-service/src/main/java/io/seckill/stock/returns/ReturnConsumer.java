package io.seckill.stock.returns;

import io.seckill.common.CommonProperties;
import io.seckill.common.mq.MessageConsumer;
import io.seckill.contracts.StockReturn;
import io.seckill.stock.Loop;
import java.time.Duration;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Consumes returns from the moment the name server answers.
 *
 * <p>RocketMQ's client gives up when the name server is away at start, and cannot be started twice:
 * a loop makes a new one until one has started. That one finds its way back by itself.
 */
@Configuration(proxyBeanMethods = false)
class ReturnConsumer implements DisposableBean {

    private static final String GROUP = "stock-service";
    private static final int THREADS = 4;

    private final CommonProperties properties;
    private final Returns returns;
    private MessageConsumer<StockReturn> consumer;

    ReturnConsumer(CommonProperties properties, Returns returns) {
        this.properties = properties;
        this.returns = returns;
    }

    @Bean
    Loop consumeLoop() {
        return new Loop("consume", Duration.ofSeconds(1), Duration.ofSeconds(60), this::startOnce);
    }

    private synchronized void startOnce() {
        if (consumer == null) {
            MessageConsumer<StockReturn> fresh = new MessageConsumer<>(GROUP, properties.namesrv(),
                    StockReturn.TOPIC, StockReturn.class, returns, THREADS);
            fresh.start();
            consumer = fresh;
        }
    }

    /** After the loop has stopped, before the stores the returns need are closed. */
    @Override
    public synchronized void destroy() {
        if (consumer != null) {
            consumer.stop();
        }
    }
}
