package io.seckill.order.booking;

import io.seckill.order.Pause;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/** How transactions are tried. */
@Configuration(proxyBeanMethods = false)
class BookingConfiguration {

    @Bean
    Transactions transactions(TransactionTemplate template) {
        return new Transactions(template, Pause::sleep);
    }
}
