package io.seckill.flashsale.relay;

import io.seckill.common.Loop;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.shard.OutboxEntry;
import io.seckill.shard.Shard;
import io.seckill.shard.Shards;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Hands every reservation over to RocketMQ: one thread per shard, oldest first.
 *
 * <p>An entry is deleted only after the broker has it on disk (SEND_OK). Whatever happens between
 * the two (a crash, a lost answer, a second instance that reads the same outbox) sends the
 * reservation again, and order-service takes duplicates; no order of steps loses one. A shard or
 * broker that is away costs delay only: the backlog is bounded by the units taken. An entry that
 * cannot be read is moved to the product's parked stream and logged; it stops nobody and is not
 * lost.
 *
 * <p>Health is red when a loop has died or hangs, never because a shard or the broker is away.
 */
@Component
final class ReservationRelay implements SmartLifecycle, HealthIndicator {

    private static final Logger LOG = LoggerFactory.getLogger(ReservationRelay.class);
    private static final int MAX_BATCH = MessageSender.MAX_BATCH;
    private static final Duration BLOCK = Duration.ofMillis(500);

    private final SaleCache sales;
    private final MessageSender sender;
    private final List<Loop> loops;

    ReservationRelay(Shards shards, SaleCache sales, MessageSender sender) {
        this.sales = sales;
        this.sender = sender;
        loops = shards.all().stream()
                .map(shard -> new Loop("relay of " + shard, BLOCK, () -> relay(shard)))
                .toList();
    }

    /** Waits up to {@link #BLOCK} for entries. False: there is no sale to wait for. */
    private boolean relay(Shard shard) {
        List<String> products = sales.products();
        if (products.isEmpty()) {
            return false;
        }
        List<OutboxEntry> entries = shard.outbox(products, MAX_BATCH, BLOCK);
        List<OutboxEntry> readable =
                entries.stream().filter(entry -> isReadable(shard, entry)).toList();
        for (int from = 0; from < readable.size(); from += MAX_BATCH) {
            int to = Math.min(from + MAX_BATCH, readable.size());
            handOver(shard, readable.subList(from, to));
        }
        return true;
    }

    private static boolean isReadable(Shard shard, OutboxEntry entry) {
        try {
            entry.reservation(shard.index());
            return true;
        } catch (IllegalArgumentException e) {
            LOG.error(
                    "{}: outbox entry {} of product {} is parked: {}",
                    shard,
                    entry.id(),
                    entry.productId(),
                    e.getMessage());
            shard.park(entry.productId(), entry.id());
            return false;
        }
    }

    private void handOver(Shard shard, List<OutboxEntry> batch) {
        List<Outgoing> outgoing =
                batch.stream().map(entry -> message(shard, entry)).toList();
        if (!sender.send(Reservation.TOPIC, outgoing)) {
            throw new IllegalStateException("RocketMQ did not confirm " + batch.size());
        }
        batch.stream()
                .collect(Collectors.groupingBy(
                        OutboxEntry::productId,
                        Collectors.mapping(OutboxEntry::id, Collectors.toList())))
                .forEach(shard::delete);
    }

    private static Outgoing message(Shard shard, OutboxEntry entry) {
        Reservation reservation = entry.reservation(shard.index());
        return new Outgoing(reservation.reservationId(), Json.write(reservation));
    }

    @Override
    public Health health() {
        return loops.stream()
                .map(Loop::health)
                .filter(health -> !health.getStatus().equals(Status.UP))
                .findFirst()
                .orElseGet(() -> Health.up().build());
    }

    @Override
    public void start() {
        loops.forEach(Loop::start);
    }

    /** All end their rounds at the same time. */
    @Override
    public void stop() {
        loops.forEach(Loop::finish);
        loops.forEach(Loop::stop);
    }

    @Override
    public boolean isRunning() {
        return loops.stream().anyMatch(Loop::isRunning);
    }

    /** After the sender; stopped when the web server takes no more attempts. */
    @Override
    public int getPhase() {
        return 1;
    }
}
