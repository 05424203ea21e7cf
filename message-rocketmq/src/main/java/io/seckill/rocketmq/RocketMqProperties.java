package io.seckill.rocketmq;

import io.seckill.common.Address;

import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Where RocketMQ is. A missing or malformed address stops the service at start.
 *
 * @param namesrv address of RocketMQ's name server
 */
@Validated
@ConfigurationProperties("seckill")
record RocketMqProperties(@NotNull Address namesrv) {}
