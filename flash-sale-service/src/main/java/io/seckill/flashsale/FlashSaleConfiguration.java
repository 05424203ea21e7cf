package io.seckill.flashsale;

import io.seckill.common.CommonProperties;
import io.seckill.common.CrashAt;
import io.seckill.common.Loop;
import io.seckill.contracts.LiveKeys;
import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.ReservationSigner;
import io.seckill.flashsale.query.LostSpools;
import io.seckill.flashsale.query.Unknowns;
import io.seckill.flashsale.relay.ReminderRelay;
import io.seckill.flashsale.sale.Openings;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.flashsale.spool.SpoolReplay;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.Pipeline;
import io.seckill.shard.Shards;
import java.time.Clock;
import java.time.Duration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires what is not a component by itself and belongs to several rooms. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(FlashSaleProperties.class)
class FlashSaleConfiguration {

    private static final Duration REMINDERS_IDLE = Duration.ofMillis(500);
    private static final Duration SPOOL_IDLE = Duration.ofMillis(500);
    private static final Duration UNKNOWNS_IDLE = Duration.ofMillis(500);

    /** Before any loop begins. */
    FlashSaleConfiguration(FlashSaleProperties properties) {
        CrashAt.set("seckill.crash-at", properties.crashAt());
    }

    @Bean(destroyMethod = "close")
    Shards shards(FlashSaleProperties properties) {
        return Shards.of("seckill.shards", properties.shards());
    }

    @Bean
    QuantityStocks stocks(Shards shards) {
        return new QuantityStocks(shards);
    }

    /** What is read of the control Redis for who polls. */
    @Bean(destroyMethod = "close")
    Pipeline controlReads(CommonProperties properties) {
        return controlRedis(properties);
    }

    /** What is written there about reservations; of a poll only what a shard alone knew, once. */
    @Bean(destroyMethod = "close")
    Pipeline controlWrites(CommonProperties properties) {
        return controlRedis(properties);
    }

    private static Pipeline controlRedis(CommonProperties properties) {
        return Pipeline.to(
                "control Redis",
                RedisEndpoint.of("seckill.control-redis", properties.controlRedis()));
    }

    @Bean
    ReservationSigner reservationSigner(FlashSaleProperties properties, Clock clock) {
        return new ReservationSigner(
                new LiveKeys("seckill.reservation-keys", properties.reservationKeys(), clock));
    }

    @Bean
    Loop salesLoop(SaleCache sales, Openings openings) {
        return Loop.every("sales", SaleCache.PERIOD, () -> {
            sales.refresh();
            openings.look();
        });
    }

    @Bean
    Loop unknownsLoop(Unknowns unknowns) {
        return new Loop("unknowns", UNKNOWNS_IDLE, unknowns::resolve);
    }

    @Bean
    Loop remindersLoop(ReminderRelay reminders) {
        return new Loop("reminders", REMINDERS_IDLE, reminders::send);
    }

    @Bean
    Loop spoolLoop(SpoolReplay spool) {
        return new Loop("spool replay", SPOOL_IDLE, spool::replay);
    }

    @Bean
    Loop lostSpoolsLoop(LostSpools lost) {
        return new Loop("lost spools", SPOOL_IDLE, lost::resolve);
    }
}
