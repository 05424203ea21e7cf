package io.seckill.rocketmq;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * The client's log begins at WARN: at INFO it tells of every look at its queues. Any configured
 * {@code logging.level.org.apache.rocketmq} wins.
 */
final class ClientLogLevel implements EnvironmentPostProcessor {

    @Override
    public void postProcessEnvironment(
            ConfigurableEnvironment environment, SpringApplication application) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource(
                        "rocketmq-client-log",
                        Map.of("logging.level." + ClientLogger.ROOT, "warn")));
    }
}
