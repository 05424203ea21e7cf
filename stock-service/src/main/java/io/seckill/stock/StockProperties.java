package io.seckill.stock;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What this service needs beside the common addresses. A missing key stops it at start.
 *
 * @param shards endpoints of the shards, in the order of their numbers; texts, for a failure to
 *     bind one would show its password
 * @param tokenKeys path of the key file
 */
@Validated
@ConfigurationProperties("seckill")
record StockProperties(
        @NotEmpty List<@NotBlank String> shards, @NotBlank String tokenKeys) {}
