package io.seckill.common;

import io.micrometer.core.instrument.MeterRegistry;
import io.seckill.contracts.RedisEndpoint;
import java.time.Clock;
import java.time.Duration;
import javax.net.ssl.SSLParameters;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;

/** The beans every service has. */
@AutoConfiguration
@EnableConfigurationProperties(CommonProperties.class)
@Import(RefusalAdvice.class)
public class CommonAutoConfiguration {

    private static final int MAX_CONNECTIONS = 32;
    private static final Duration POOL_WAIT = Duration.ofMillis(200);
    private static final int TIMEOUT_MS = 500;

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    /** The hop is the service's name without "-service"; counters.json has its rows. */
    @Bean
    Counters counters(MeterRegistry registry, @Value("${spring.application.name}") String service) {
        return new Counters(registry, service.replaceFirst("-service$", ""));
    }

    /** The control Redis: nothing in it decides about a unit, so half a second may pass. */
    @Bean(destroyMethod = "close")
    RedisClient controlRedis(CommonProperties properties) {
        RedisEndpoint endpoint =
                RedisEndpoint.of("seckill.control-redis", properties.controlRedis());
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(MAX_CONNECTIONS);
        pool.setMaxWait(POOL_WAIT);
        return RedisClient.builder()
                .hostAndPort(new HostAndPort(endpoint.host(), endpoint.port()))
                .clientConfig(DefaultJedisClientConfig.builder()
                        .timeoutMillis(TIMEOUT_MS)
                        .user(endpoint.user())
                        .password(endpoint.password())
                        .ssl(endpoint.tls())
                        .sslParameters(endpoint.tls() ? checkedNames() : null)
                        .build())
                .poolConfig(pool)
                .build();
    }

    /** Without this a certificate of any host would do. */
    private static SSLParameters checkedNames() {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        return parameters;
    }
}
