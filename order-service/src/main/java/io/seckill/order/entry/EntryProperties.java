package io.seckill.order.entry;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What is asked of messages. A key file that cannot be read stops the service at start.
 *
 * @param reservationKeys path of the file with the keys that sign reservations
 * @param crashAt where this process ends, for tests; empty: nowhere
 */
@Validated
@ConfigurationProperties("seckill")
record EntryProperties(
        @NotBlank String reservationKeys, @NotNull String crashAt) {}
