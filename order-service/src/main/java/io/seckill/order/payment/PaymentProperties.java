package io.seckill.order.payment;

import jakarta.validation.constraints.NotBlank;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What payments need. A key file that cannot be read stops the service at start.
 *
 * @param paymentKeys path of the file with the keys that sign the gateway's reports
 */
@Validated
@ConfigurationProperties("seckill")
record PaymentProperties(@NotBlank String paymentKeys) {}
