package io.seckill.order.payment;

import io.seckill.contracts.LiveKeys;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The keys of reports, and the gateway unless a real one is there. */
@Configuration(proxyBeanMethods = false)
class PaymentConfiguration {

    @Bean
    ReportSigner reportSigner(PaymentProperties properties, Clock clock) {
        return new ReportSigner(
                new LiveKeys("seckill.payment-keys", Path.of(properties.paymentKeys()), clock));
    }

    @Bean
    @ConditionalOnProperty(name = "seckill.payment-gateway", havingValue = "simulated")
    PaymentGateway simulatedGateway(PaymentReports reports, ReportSigner signer) {
        return new SimulatedGateway(reports, signer);
    }
}
