package io.seckill.order;

import io.seckill.common.CommonProperties;
import io.seckill.common.mq.MessageConsumer;
import io.seckill.contracts.Reservation;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Consumes reservations from the moment the name server answers.
 *
 * <p>RocketMQ's client gives up when the name server is away at start, and cannot be started twice:
 * a loop makes a new one until one has started. That one finds its way back by itself. As the last
 * to start and the first to stop it works only while everything it needs does.
 */
@Component
final class Consumption implements SmartLifecycle, HealthIndicator {

    private static final int THREADS = 2;
    private static final long IDLE_MS = 1_000;

    private final CommonProperties properties;
    private final OrderBook book;
    private final Loop starter = new Loop("consumer-start", IDLE_MS, this::startOnce);
    private volatile MessageConsumer<Reservation> consumer;

    Consumption(CommonProperties properties, OrderBook book) {
        this.properties = properties;
        this.book = book;
    }

    private boolean startOnce() {
        if (consumer == null) {
            MessageConsumer<Reservation> fresh = new MessageConsumer<>("order-service",
                    properties.namesrv(), Reservation.TOPIC, Reservation.class, book, THREADS);
            fresh.start();
            consumer = fresh;
        }
        return false;
    }

    @Override
    public void start() {
        starter.start();
    }

    @Override
    public void stop() {
        starter.stop();
        if (consumer != null) {
            consumer.stop();
            consumer = null;
        }
    }

    @Override
    public boolean isRunning() {
        return starter.isRunning();
    }

    @Override
    public Health health() {
        return starter.health();
    }
}
