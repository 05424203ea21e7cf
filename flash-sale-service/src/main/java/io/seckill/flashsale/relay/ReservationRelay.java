package io.seckill.flashsale.relay;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.seckill.common.CrashPoint;
import io.seckill.common.Loop;
import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.ReservationSigner;
import io.seckill.flashsale.attempt.UnknownListener;
import io.seckill.flashsale.sale.SaleCache;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.Reserve;
import io.seckill.shard.OutboxEntry;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Hands every reservation over to RocketMQ: one thread per shard, oldest first.
 *
 * <p>What this process took is read at once, and all outboxes each second ({@link FreshOutboxes});
 * each product by a command of its own, many of them sent together. Each instance hands over what it
 * took itself. What is late, for its process died or many wait, one of them does: who has the shard's
 * lease; where a page is late, each. So where all goes well no reservation is sent twice.
 *
 * <p>An entry is deleted only after the broker has it on disk (SEND_OK). Whatever happens between
 * the two (a crash, a lost answer, a lease that ran out) sends the reservation again, and
 * order-service takes duplicates; no order of steps loses one. A shard or broker that is away costs
 * delay only: the backlog is bounded by the units taken. An entry that cannot be read is moved to
 * the product's parked stream and logged, or stays where that is none; it stops nobody and is not
 * lost.
 *
 * <p>What this process took and finds in no outbox ({@link TakenHere}) goes the way of an attempt
 * whose outcome nobody knows: its buyer was told ACCEPTED, and is told what became of it, also while
 * the broker is away; but of a product with a full batch waiting only when it is back.
 *
 * <p>Health is red when a loop has died or hangs, never because a shard or the broker is away.
 */
@Component
final class ReservationRelay implements SmartLifecycle, HealthIndicator, MeterBinder {

    private static final Logger LOG = LoggerFactory.getLogger(ReservationRelay.class);
    private static final int MAX_BATCH = MessageSender.MAX_BATCH;
    private static final int PAGE = 2 * MAX_BATCH; // of a product, for others' are among them
    private static final Duration IDLE = Duration.ofMillis(500);

    /**
     * What is taken within this time, or while a long round rests, goes in one message batch; all
     * hops behind pay by the batch.
     */
    private static final Duration APART = Duration.ofMillis(20);

    /** Beyond, who took it asks for the lease too: somebody else may be about to send it. */
    private static final Duration OWN = Duration.ofSeconds(1);

    /** Nobody sends what somebody else took and may have in hand. */
    private static final Duration LEFT = Duration.ofSeconds(2);

    /** What a dead process took is sent a sweep after this, at the latest. */
    static final Duration LEASE = Duration.ofSeconds(3);

    private final String instance = UUID.randomUUID().toString();
    private final SaleCache sales;
    private final MessageSender sender;
    private final ReservationSigner signer;
    private final UnknownListener unknown;
    private final List<Hand> hands;

    ReservationRelay(
            QuantityStocks stocks,
            SaleCache sales,
            MessageSender sender,
            ReservationSigner signer,
            UnknownListener unknown) {
        this.sales = sales;
        this.sender = sender;
        this.signer = signer;
        this.unknown = unknown;
        hands = stocks.all().stream().map(Hand::new).toList();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (Hand hand : hands) {
            Gauge.builder("seckill_outbox_age_seconds", hand, Hand::ageSeconds)
                    .description("age of the oldest reservation that was read and not handed over")
                    .tag("hop", "flash-sale")
                    .tag("shard", Integer.toString(hand.stock.index()))
                    .register(registry);
            Gauge.builder("seckill_outbox_entries", hand, each -> each.lengths.sum())
                    .description("reservations that wait to be handed over")
                    .tag("hop", "flash-sale")
                    .tag("shard", Integer.toString(hand.stock.index()))
                    .register(registry);
        }
    }

    /** Reads the outbox of that product at once. */
    void taken(int shard, Reserve wish) {
        Hand hand = hands.get(shard);
        hand.taken.add(wish, System.nanoTime());
        hand.outboxes.mark(wish.productId());
        hand.loop.nudge();
    }

    /** What reads and empties the outboxes of one shard. */
    private final class Hand {

        private final QuantityStock stock;
        private final FreshOutboxes outboxes = new FreshOutboxes();
        private final TakenHere taken = new TakenHere();
        private final Set<String> damaged = new HashSet<>(); // of the products on sale
        private final Set<String> unparked = new HashSet<>(); // entries that were logged, a page
        private final OutboxLengths lengths = new OutboxLengths();
        private final Loop loop;
        private boolean leads; // as far as it knows; of the loop's thread

        /** Of what was read and is not handed over, by the shard's clock; 0: there is nothing. */
        private volatile long oldestMs;

        Hand(QuantityStock stock) {
            this.stock = stock;
            loop = Loop.gathering("relay of " + stock, IDLE, APART, this::relay);
        }

        /** True: there may be more. */
        private boolean relay() {
            lengths.keepOnly(sales::has);
            Set<String> products = outboxes.take(sales.products(), System.nanoTime());
            try {
                boolean isMore = !products.isEmpty() && relay(products);
                return isMore || outboxes.hasMore();
            } catch (RuntimeException e) {
                outboxes.failed();
                giveLeaseBack();
                Set<String> lost = taken.products();
                lost.removeIf(product -> !isRetired(product));
                askForMissing(lost, Set.of(), System.nanoTime());
                throw e;
            }
        }

        /** Its outbox may never be read again. */
        private boolean isRetired(String product) {
            return sales.get(product)
                    .either(sale -> sale.isRetiredAt(stock.index()), refusal -> false);
        }

        private double ageSeconds() {
            long sinceMs = oldestMs;
            return sinceMs == 0 ? 0 : (stock.shard().clock().millis() - sinceMs) / 1e3;
        }

        /** True: there may be more of these. */
        private boolean relay(Set<String> products) {
            long readAtNs = System.nanoTime();
            List<OutboxEntry> entries = read(products);
            oldestMs = entries.stream().mapToLong(OutboxEntry::atMs).min().orElse(0);
            List<Waiting> readable = entries.stream()
                    .map(this::readable)
                    .flatMap(Optional::stream)
                    .toList();
            Set<String> full = full(products, entries);
            Set<String> whole = new HashSet<>(products);
            whole.removeAll(full);
            whole.removeAll(damaged);
            askForMissing(whole, ids(readable), readAtNs); // first: the broker may be away
            List<Waiting> ours = ours(readable, readAtNs);
            for (int from = 0; from < ours.size(); from += MAX_BATCH) {
                int to = Math.min(from + MAX_BATCH, ours.size());
                handOver(ours.subList(from, to));
            }
            oldestMs = 0;
            full.forEach(outboxes::mark);
            return !full.isEmpty() && !ours.isEmpty();
        }

        /** Those of which there may be more than was read; all lengths are known from then on. */
        private Set<String> full(Set<String> products, List<OutboxEntry> entries) {
            Map<String, Long> counts =
                    entries.stream().collect(groupingBy(OutboxEntry::productId, counting()));
            Set<String> full = new HashSet<>();
            for (String product : products) {
                long count = counts.getOrDefault(product, 0L);
                if (count == PAGE) {
                    full.add(product);
                }
                lengths.read(product, count == PAGE ? stock.waiting(product) : count);
            }
            return full;
        }

        /**
         * In their order, what this process took a moment ago; and what is late, where it holds the
         * lease, or so much is late that its holder is too slow.
         */
        private List<Waiting> ours(List<Waiting> readable, long readAtNs) {
            long late = readable.stream().filter(one -> isLate(one, readAtNs)).count();
            leads = late > 0 && stock.shard().lease(RedisKeys.RELAY, instance, LEASE);
            boolean sendsLate = leads || late >= PAGE;
            return readable.stream()
                    .filter(one ->
                            isLate(one, readAtNs) ? sendsLate : tookNs(one).isPresent())
                    .toList();
        }

        /** Empty: another process took it, or nobody knows. */
        private OptionalLong tookNs(Waiting one) {
            return taken.tookNs(one.reservation.reservationId());
        }

        private boolean isLate(Waiting one, long readAtNs) {
            OptionalLong tookNs = tookNs(one);
            return tookNs.isEmpty()
                    ? isLeft(one.entry)
                    : readAtNs - tookNs.getAsLong() > OWN.toNanos();
        }

        /** Whoever asks for it before this one has another try may reach the broker. */
        private void giveLeaseBack() {
            if (!leads) {
                return;
            }
            leads = false;
            try {
                stock.shard().lease(RedisKeys.RELAY, instance, Duration.ZERO);
            } catch (ShardDownException | ShardUnknownException e) {
                LOG.debug("{}: the lease ends by itself", stock);
            }
        }

        /** A time that is not now is long ago: the shard's clock may have been set back. */
        private boolean isLeft(OutboxEntry entry) {
            return Math.abs(stock.shard().clock().millis() - entry.atMs()) > LEFT.toMillis();
        }

        private static Set<String> ids(List<Waiting> waiting) {
            return waiting.stream().map(one -> one.reservation.reservationId()).collect(toSet());
        }

        /** Asked for again in a later round where it could not be written down. */
        @SuppressWarnings("FutureReturnValueIgnored") // it never fails
        private void askForMissing(Set<String> whole, Set<String> found, long readAtNs) {
            List<Reserve> missing = taken.missing(whole, found, readAtNs);
            if (!missing.isEmpty()) {
                LOG.warn("{}: {} taken here are in no outbox: asked for", stock, missing.size());
            }
            for (Reserve wish : missing) {
                unknown.unknown(stock.index(), wish).thenAccept(isKept -> {
                    if (isKept) {
                        taken.remove(wish.reservationId());
                    }
                });
            }
        }

        /** An outbox that is no stream keeps the others from nothing; it is logged once. */
        private List<OutboxEntry> read(Set<String> products) {
            Map<String, String> errors = new HashMap<>();
            List<OutboxEntry> entries = stock.shard().outbox(products, PAGE, errors::put);
            for (String product : products) {
                String error = errors.get(product);
                if (error == null) {
                    damaged.remove(product);
                } else if (damaged.add(product)) {
                    LOG.error(
                            "{}: the outbox of product {} cannot be read: {}",
                            stock,
                            product,
                            error);
                }
            }
            return entries;
        }

        private Optional<Waiting> readable(OutboxEntry entry) {
            try {
                return Optional.of(new Waiting(entry, stock.reservation(entry)));
            } catch (IllegalArgumentException e) {
                park(entry, e);
                return Optional.empty();
            }
        }

        /** Where it cannot be, it stays and is tried in each sweep: whoever is behind it goes on. */
        private void park(OutboxEntry entry, IllegalArgumentException why) {
            String place = entry.productId() + " " + entry.id();
            try {
                stock.shard().park(entry.productId(), entry.id());
                unparked.remove(place);
                LOG.error("{}: outbox entry {} is parked: {}", stock, place, why.getMessage());
            } catch (ShardDownException e) {
                if (!(e.getCause() instanceof JedisDataException)) {
                    throw e;
                }
                if (unparked.size() < PAGE && unparked.add(place)) {
                    LOG.error("{}: outbox entry {} cannot be parked", stock, place, e);
                }
            }
        }

        private Outgoing message(Reservation one) {
            return new Outgoing(one.reservationId(), Json.write(signer.sign(one)));
        }

        private void handOver(List<Waiting> batch) {
            Map<String, List<OutboxEntry>> products =
                    batch.stream().map(Waiting::entry).collect(groupingBy(OutboxEntry::productId));
            List<Outgoing> outgoing =
                    batch.stream().map(Waiting::reservation).map(this::message).toList();
            products.keySet().forEach(CrashPoint.RELAY_READ::reached);
            if (!sender.send(Reservation.TOPIC, outgoing)) {
                throw new IllegalStateException("the broker did not confirm " + batch.size());
            }
            products.keySet().forEach(CrashPoint.RELAY_CONFIRMED::reached);
            ids(batch).forEach(taken::remove);
            products.forEach((product, entries) -> {
                CrashPoint.RELAY_DELETING.reached(product);
                stock.handedOver(product, entries);
                lengths.handedOver(product, entries.size());
            });
        }
    }

    /** An outbox entry, and what it says. */
    private record Waiting(OutboxEntry entry, Reservation reservation) {}

    @Override
    public Health health() {
        return hands.stream()
                .map(hand -> hand.loop.health())
                .filter(health -> !health.getStatus().equals(Status.UP))
                .findFirst()
                .orElseGet(() -> Health.up().build());
    }

    @Override
    public void start() {
        hands.forEach(hand -> hand.loop.start());
    }

    /** All end their rounds at the same time. */
    @Override
    public void stop() {
        hands.forEach(hand -> hand.loop.finish());
        hands.forEach(hand -> hand.loop.stop());
    }

    @Override
    public boolean isRunning() {
        return hands.stream().anyMatch(hand -> hand.loop.isRunning());
    }

    /** After the sender; stopped when the web server takes no more attempts. */
    @Override
    public int getPhase() {
        return 1;
    }
}
