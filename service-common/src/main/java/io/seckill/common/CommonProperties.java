package io.seckill.common;

import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Where the shared parts are, but for the message broker. A missing or malformed address stops the
 * service at start.
 *
 * @param controlRedis endpoint of the control Redis; a text, for a failure to bind it would show
 *     its password
 */
@Validated
@ConfigurationProperties("seckill")
public record CommonProperties(@NotNull String controlRedis) {}
