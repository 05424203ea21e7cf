package io.seckill.common;

import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Where the shared parts are, but for the message broker. A missing or malformed address stops the service at start.
 *
 * @param controlRedis address of the control Redis
 */
@Validated
@ConfigurationProperties("seckill")
public record CommonProperties(@NotNull Address controlRedis) {}
