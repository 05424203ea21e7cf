package io.seckill.order.payment;

import io.seckill.contracts.LiveKeys;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The keys of reports, and the gateway unless a real one is there. */
@Configuration(proxyBeanMethods = false)
class PaymentConfiguration {

    private static final String KEY = "seckill.payment-gateway";

    @Bean
    ReportSigner reportSigner(PaymentProperties properties, Clock clock) {
        return new ReportSigner(
                new LiveKeys("seckill.payment-keys", Path.of(properties.paymentKeys()), clock));
    }

    @Bean
    @ConditionalOnProperty(name = KEY, havingValue = "simulated")
    PaymentGateway simulatedGateway(PaymentReports reports, ReportSigner signer) {
        return new SimulatedGateway(reports, signer);
    }

    /** Stops the start by the name of the key; Spring names a parameter of a constructor. */
    @Bean
    static BeanFactoryPostProcessor exactlyOneGateway(Environment environment) {
        return beans -> {
            String[] found = beans.getBeanNamesForType(PaymentGateway.class, true, false);
            if (found.length != 1) {
                throw new IllegalStateException("%s '%s': exactly one bean of %s is wanted, there"
                                .formatted(KEY, environment.getProperty(KEY), PaymentGateway.class)
                        + " are " + Arrays.toString(found) + "; only 'simulated' brings its own");
            }
        };
    }
}
