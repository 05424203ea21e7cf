package io.seckill.flashsale;

import io.seckill.contracts.Placement;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What only this service needs. A missing or malformed value stops it at start.
 *
 * @param shards endpoints of the shards, in the order of their numbers; texts, for a failure to
 *     bind one would show its password
 * @param tokenKeys the key file; its first key signs paths
 * @param reservationKeys the key file; its first key signs reservations
 * @param spoolDir this instance's own folder for attempts that wait for a shard
 * @param spoolKeep how long they may wait
 * @param spoolCanary how often the spool is tried with a record of its own
 * @param warmUp how long to warm up before the service is healthy; 0: not at all
 * @param crashAt where this process ends, for tests; empty: nowhere
 */
@Validated
@ConfigurationProperties("seckill")
public record FlashSaleProperties(
        @NotEmpty @Size(max = Placement.MAX) List<@NotBlank String> shards,
        @NotNull Path tokenKeys,
        @NotNull Path reservationKeys,
        @NotNull Path spoolDir,

        @NotNull @DurationMin(seconds = 1) @DurationMax(minutes = 60)
        Duration spoolKeep,

        @NotNull @DurationMin(seconds = 1) @DurationMax(minutes = 60)
        Duration spoolCanary,

        @NotNull @DurationMin(seconds = 0) @DurationMax(seconds = 60)
        Duration warmUp,

        @NotNull String crashAt) {}
