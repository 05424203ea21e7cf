package io.seckill.order;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * Starts hop 3. It comes up without its database, queue and Redis, and works once they are there.
 */
@ConfigurationPropertiesScan
@SpringBootApplication(proxyBeanMethods = false)
public class OrderApplication {

    public static void main(String[] args) {
        SpringApplication.run(OrderApplication.class, args);
    }
}
