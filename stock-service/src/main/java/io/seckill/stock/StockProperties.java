package io.seckill.stock;

import io.seckill.contracts.Placement;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What this service needs beside the common addresses. A missing key stops it at start.
 *
 * @param shards endpoints of the shards, in the order of their numbers; texts, for a failure to
 *     bind one would show its password
 * @param recoveryDrain the longest that a shard which lost data is left alone before it is rebuilt
 * @param tokenKeys path of the key file
 * @param crashAt where this process ends, for tests; empty: nowhere
 */
@Validated
@ConfigurationProperties("seckill")
public record StockProperties(
        @NotEmpty @Size(max = Placement.MAX) List<@NotBlank String> shards,
        @NotNull @DurationMin @DurationMax(minutes = 10) Duration recoveryDrain,
        @NotBlank String tokenKeys,
        @NotNull String crashAt) {}
