package io.seckill.flashsale.entry;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.seckill.common.Counters;
import io.seckill.contracts.Ids;
import io.seckill.contracts.Json;
import io.seckill.contracts.Placement;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.ReservationSigner;
import io.seckill.flashsale.FlashSaleProperties;
import io.seckill.flashsale.attempt.AttemptService;
import io.seckill.flashsale.sale.Sale;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.shard.OutboxEntry;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * Before this service says that it is healthy it sells for a while to itself, so that no buyer
 * meets code that was never run: through its own port, route, walk, shards and outboxes, a sale
 * that nobody else sees. It is in no list of sales, so no relay, book, result or counter hears of
 * it, and no message is sent; its keys are deleted at the end, or by the next start.
 *
 * <p>A shard that is away, or another instance that warms up on the same keys, costs warmth and
 * nothing else.
 */
@Component
final class WarmUp
        implements ApplicationListener<ServletWebServerInitializedEvent>, HealthIndicator {

    static final String ROUTE = "/internal/warm-up";

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    private static final String PRODUCT = Ids.WARM_UP_PRODUCT;
    private static final int BUYERS = 16; // at once
    private static final int UNITS = 4_000; // in each shard: some of the time it is sold out
    private static final int PAGE = 32;
    private static final long SALE_MS = Duration.ofMinutes(2).toMillis();

    private final QuantityStocks shards;
    private final ReservationSigner signer;
    private final Duration budget;
    private final @Nullable InetAddress address; // null: loopback
    private final AttemptServlet servlet;
    private final MeterRegistry meters = new SimpleMeterRegistry(); // its own
    private final AtomicInteger attempts = new AtomicInteger();
    private volatile boolean isWarm;

    WarmUp(
            QuantityStocks shards,
            ReservationSigner signer,
            FlashSaleProperties properties,
            ServerProperties server,
            Clock clock) {
        this.shards = shards;
        this.signer = signer;
        address = server.getAddress();
        budget = properties.warmUp();
        long nowMs = clock.millis();
        Sale sale = new Sale(PRODUCT, nowMs, nowMs + SALE_MS, 1, placements(shards), false, true);
        Counters counters = new Counters(meters, "flash-sale");
        servlet = new AttemptServlet(
                AttemptService.apart(sale, shards, counters, meters, clock), counters, meters);
    }

    private static List<Placement> placements(QuantityStocks shards) {
        return shards.all().stream()
                .limit(Placement.MAX)
                .map(shard -> new Placement(shard.index(), 1, Placement.State.OPEN))
                .toList();
    }

    AttemptServlet servlet() {
        return servlet;
    }

    @Override
    public Health health() {
        return isWarm ? Health.up().build() : Health.outOfService().build();
    }

    @Override
    public void onApplicationEvent(ServletWebServerInitializedEvent started) {
        int port = started.getWebServer().getPort();
        Thread thread = new Thread(() -> run(port), "warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    int attempts() {
        return attempts.get();
    }

    /** Nobody is told of it but tests. */
    long accepted() {
        return (long) meters.get("seckill_accepted_total").counter().count();
    }

    /** Sells for a while, through this port. */
    void run(int port) {
        long startNs = System.nanoTime();
        try {
            if (!budget.isZero()) {
                shards.all().forEach(this::load);
                sell(port, startNs + budget.toNanos());
            }
        } catch (RuntimeException e) {
            LOG.warn("not warmed up to the end", e);
        } finally {
            shards.all().forEach(WarmUp::remove);
            isWarm = true;
        }
        LOG.info(
                "warmed up by {} attempts in {} ms",
                attempts,
                Duration.ofNanos(System.nanoTime() - startNs).toMillis());
    }

    private void load(QuantityStock shard) {
        remove(shard);
        try {
            shard.load(PRODUCT, 1, UNITS);
        } catch (ShardDownException | ShardUnknownException e) {
            LOG.info("warm-up does without {}: {}", shard, e.getMessage());
        }
    }

    private static void remove(QuantityStock shard) {
        try {
            shard.shard()
                    .ask(new CommandArguments(Command.UNLINK)
                            .key(RedisKeys.stock(PRODUCT))
                            .key(RedisKeys.buyers(PRODUCT))
                            .key(RedisKeys.reservations(PRODUCT))
                            .key(RedisKeys.outbox(PRODUCT)));
        } catch (RuntimeException e) {
            LOG.info("the warm-up's keys stay in {} until the next: {}", shard, e.getMessage());
        }
    }

    private void sell(int port, long untilNs) {
        List<Thread> threads = IntStream.range(0, BUYERS)
                .mapToObj(n -> new Thread(() -> buy(port, n, untilNs), "warm-up-" + n))
                .toList();
        threads.forEach(Thread::start);
        while (threads.stream().anyMatch(Thread::isAlive)) {
            shards.all().forEach(this::emptyOutbox);
        }
    }

    /** What the relay does, but for the broker. */
    private void emptyOutbox(QuantityStock shard) {
        try {
            List<OutboxEntry> entries =
                    shard.shard().outbox(List.of(PRODUCT), PAGE, (product, error) -> {});
            entries.forEach(entry -> Json.write(signer.sign(shard.reservation(entry))));
            if (!entries.isEmpty()) {
                shard.handedOver(PRODUCT, entries);
            }
            Thread.sleep(1);
        } catch (ShardDownException | ShardUnknownException e) {
            LOG.debug("not read", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One buyer after the other. */
    private void buy(int port, int number, long untilNs) {
        try (WarmUpClient client = new WarmUpClient(address, port)) {
            for (int n = 0; System.nanoTime() < untilNs; n++) {
                client.attempt(number + "-" + n);
                attempts.incrementAndGet();
            }
        } catch (IOException e) {
            LOG.info("warm-up goes on with one buyer less: {}", e.toString());
        }
    }
}
