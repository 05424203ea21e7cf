package io.seckill.flashsale.entry;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.common.Counters;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.Messaging;
import io.seckill.contracts.LiveKeys;
import io.seckill.contracts.OrderEvent;
import io.seckill.flashsale.FlashSaleProperties;
import io.seckill.flashsale.attempt.AttemptService;
import io.seckill.flashsale.query.ResultQuery;
import java.time.Clock;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires what comes in: attempts, order-service's events, and the key that signs paths. */
@Configuration(proxyBeanMethods = false)
class EntryConfiguration {

    private static final int RESULT_THREADS = 2;

    @Bean
    PathSigner pathSigner(FlashSaleProperties properties, Clock clock) {
        return new PathSigner(
                new LiveKeys("seckill.token-keys", properties.tokenKeys(), clock), clock);
    }

    @Bean
    ServletRegistrationBean<AttemptServlet> attemptServlet(
            AttemptService attempts, Counters counters, MeterRegistry registry) {
        ServletRegistrationBean<AttemptServlet> servlet = new ServletRegistrationBean<>(
                new AttemptServlet(attempts, counters, registry), FlashSaleController.ATTEMPT);
        servlet.setLoadOnStartup(1);
        return servlet;
    }

    @Bean
    ServletRegistrationBean<AttemptServlet> warmUpServlet(WarmUp warmUp) {
        return new ServletRegistrationBean<>(warmUp.servlet(), WarmUp.ROUTE);
    }

    @Bean
    ServletRegistrationBean<ResultServlet> resultServlet(ResultQuery results) {
        ServletRegistrationBean<ResultServlet> servlet = new ServletRegistrationBean<>(
                new ResultServlet(results), FlashSaleController.RESULT);
        servlet.setLoadOnStartup(1);
        return servlet;
    }

    @Bean
    MessageConsumer orderEvents(Messaging messaging, OrderEventHandler handler) {
        return messaging.consumer(
                OrderEvent.GROUP, OrderEvent.TOPIC, OrderEvent.class, handler, RESULT_THREADS);
    }
}
