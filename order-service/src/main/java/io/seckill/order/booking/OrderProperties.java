package io.seckill.order.booking;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What only this service is told. A value out of bounds stops it at start.
 *
 * @param node part of every order number made here; no two running instances may share it
 */
@Validated
@ConfigurationProperties("seckill")
record OrderProperties(@Min(0) @Max(99) int node) {}
