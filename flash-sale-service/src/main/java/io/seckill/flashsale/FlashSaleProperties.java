package io.seckill.flashsale;

import io.seckill.common.Address;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.nio.file.Path;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What only this service needs. A missing or malformed value stops it at start.
 *
 * @param shards addresses of the shards, in the order of their numbers
 * @param tokenKeys the key file; its first key signs paths
 */
@Validated
@ConfigurationProperties("seckill")
public record FlashSaleProperties(
        @NotEmpty List<Address> shards, @NotNull Path tokenKeys) {}
