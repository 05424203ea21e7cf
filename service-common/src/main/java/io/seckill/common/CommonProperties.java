package io.seckill.common;

import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Where the shared parts are. A missing or malformed address stops the service at start.
 *
 * @param controlRedis address of the control Redis
 * @param namesrv address of RocketMQ's name server
 */
@Validated
@ConfigurationProperties("seckill")
public record CommonProperties(
        @NotNull Address controlRedis, @NotNull Address namesrv) {}
