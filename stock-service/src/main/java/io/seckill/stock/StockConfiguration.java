package io.seckill.stock;

import io.seckill.common.CrashAt;
import io.seckill.common.Loop;
import io.seckill.common.message.MessageConsumer;
import io.seckill.common.message.Messaging;
import io.seckill.contracts.StockReturn;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.SoldOutWord;
import io.seckill.shard.Shards;
import io.seckill.stock.entry.StockReturnHandler;
import io.seckill.stock.entry.TokenKeys;
import io.seckill.stock.limit.LimitCopy;
import io.seckill.stock.reconcile.Reconciler;
import io.seckill.stock.recovery.Recovery;
import io.seckill.stock.recovery.Retirement;
import io.seckill.stock.recovery.ShardFaults;
import io.seckill.stock.relay.CatalogRelay;
import io.seckill.stock.returns.ReturnService;
import io.seckill.stock.sale.Preheater;
import io.seckill.stock.sale.SaleRemoval;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import redis.clients.jedis.RedisClient;

/** The beans that are made from configuration. */
@Configuration(proxyBeanMethods = false)
class StockConfiguration {

    private static final int CONSUMER_THREADS = 4;

    /** Before any loop begins. */
    StockConfiguration(StockProperties properties) {
        CrashAt.set("seckill.crash-at", properties.crashAt());
    }

    @Bean
    Shards shards(StockProperties properties) {
        return Shards.of("seckill.shards", properties.shards());
    }

    @Bean
    QuantityStocks stocks(Shards shards) {
        return new QuantityStocks(shards);
    }

    @Bean
    SoldOutWord soldOutWord(RedisClient control) {
        return new SoldOutWord(control);
    }

    @Bean
    TokenKeys tokenKeys(StockProperties properties, Clock clock) {
        return TokenKeys.read(Path.of(properties.tokenKeys()), clock);
    }

    @Bean
    MessageConsumer returnConsumer(Messaging messaging, StockReturnHandler handler) {
        return messaging.consumer(
                StockReturn.GROUP, StockReturn.TOPIC, StockReturn.class, handler, CONSUMER_THREADS);
    }

    /** A thread of its own: it must not wait for the database or for the load of a dead shard. */
    @Bean
    Loop publishLoop(CatalogRelay relay) {
        return Loop.prompt("publish", Duration.ofMillis(250), relay::turn);
    }

    /** Apart from publishing, which works while the database is away. */
    @Bean
    Loop limitLoop(LimitCopy limits) {
        return Loop.prompt("limits", Duration.ofMillis(250), limits::turn);
    }

    @Bean
    Loop preheatLoop(Preheater preheater) {
        return Loop.every("preheat", Duration.ofSeconds(1), preheater::resume);
    }

    @Bean
    Loop recoveryLoop(Recovery recovery) {
        return Loop.every("recovery", Duration.ofMillis(500), recovery::turn);
    }

    @Bean
    Loop shardFaultLoop(ShardFaults faults) {
        return Loop.every("shard faults", ShardFaults.PERIOD, faults::look);
    }

    @Bean
    Loop changeLoop(Retirement retirement) {
        return Loop.every("stock changes", Duration.ofSeconds(1), retirement::turn);
    }

    @Bean
    Loop removalLoop(SaleRemoval removal) {
        return Loop.every("removal", Duration.ofSeconds(1), removal::resume);
    }

    @Bean
    Loop reconcileLoop(Reconciler reconciler) {
        return Loop.every("reconciler", Duration.ofSeconds(1), reconciler::turn);
    }

    /** Returns that wait for their shard are asked for again each second. */
    @Bean
    Loop returnLoop(ReturnService returns) {
        return new Loop("waiting returns", Duration.ofSeconds(1), returns::retry);
    }
}
