package io.seckill.rocketmq;

import io.seckill.common.message.Backlog;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.Messaging;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The message ports of every service that has this module on its class path. */
@AutoConfiguration
@EnableConfigurationProperties(RocketMqProperties.class)
class RocketMqAutoConfiguration {

    @Bean
    Messaging messaging(
            RocketMqProperties properties, @Value("${spring.application.name}") String service) {
        return new RocketMqMessaging(service, properties.namesrv());
    }

    @Bean
    MessageSender messageSender(Messaging messaging) {
        return messaging.sender();
    }

    @Bean
    Backlog backlog(Messaging messaging) {
        return messaging.backlog();
    }
}
