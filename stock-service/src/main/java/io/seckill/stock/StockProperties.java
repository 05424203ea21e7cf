package io.seckill.stock;

import io.seckill.common.Address;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What this service needs beside the common addresses. A missing key stops it at start.
 *
 * @param shards in the order of their numbers
 * @param tokenKeys path of the key file
 */
@Validated
@ConfigurationProperties("seckill")
record StockProperties(
        @NotEmpty List<Address> shards, @NotBlank String tokenKeys) {}
