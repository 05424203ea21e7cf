package io.seckill.stock;

import io.seckill.common.Address;
import io.seckill.shard.Shard;
import io.seckill.shard.Shards;
import io.seckill.stock.auth.TokenKeys;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The parts that are made from configuration. */
@Configuration(proxyBeanMethods = false)
class StockConfiguration {

    @Bean
    Shards shards(StockProperties properties) {
        List<Address> addresses = properties.shards();
        return new Shards(IntStream.range(0, addresses.size())
                .mapToObj(i -> new Shard(i, addresses.get(i).host(), addresses.get(i).port()))
                .toList());
    }

    @Bean
    TokenKeys tokenKeys(StockProperties properties, Clock clock) {
        return TokenKeys.read(Path.of(properties.tokenKeys()), clock);
    }
}
