package io.seckill.flashsale.sale;

import io.seckill.contracts.Bounds;
import io.seckill.contracts.Ids;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Outcome;
import io.seckill.shard.Pipeline;
import io.seckill.shard.Script;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The sales, read from the control Redis by one thread, so that an attempt costs it nothing.
 *
 * <p>Facts are at most {@link #PERIOD} and a read old. When the control Redis is away the last
 * ones stay good for {@link #USABLE_MS}; after that nobody may try (BUSY), for the operator may
 * have closed the sale meanwhile. A product that is not known yet is looked up once, for it may be
 * new. A damaged hash keeps the product's last good facts, and a product that vanished stays for
 * {@link #KEPT_MS}: a control Redis that lost its data is filled again from the database, and till
 * then NO_SUCH_SALE would turn buyers away for good and their reservations would wait. A synthetic
 * sale goes at once: that one is removed.
 */
@Component
public final class SaleCache {

    public static final Duration PERIOD = Duration.ofMillis(300);
    static final long USABLE_MS = 60_000;
    static final long KEPT_MS = 60_000;
    private static final Logger LOG = LoggerFactory.getLogger(SaleCache.class);

    private static final Script READ = Script.of(SaleCache.class, "/read_sale.lua");

    private final RedisClient control;
    private final Pipeline reads;
    private final Clock clock;
    private volatile Snapshot snapshot = new Snapshot(Map.of(), 0);

    SaleCache(RedisClient control, Pipeline controlReads, Clock clock) {
        this.control = control;
        reads = controlReads;
        this.clock = clock;
    }

    /** A product's facts, null while none could be read, and when it was last listed. */
    private record Known(@Nullable Sale sale, long listedAtMs) {

        boolean lingers(long nowMs) {
            return nowMs - listedAtMs < KEPT_MS && (sale == null || !sale.synthetic());
        }
    }

    private record Snapshot(Map<String, Known> products, long readAtMs) {

        @Nullable
        Sale sale(String productId) {
            Known known = products.get(productId);
            return known == null ? null : known.sale();
        }
    }

    /** Products whose outboxes may hold something. */
    public List<String> products() {
        return List.copyOf(snapshot.products().keySet());
    }

    /** Whether it is one of them. */
    public boolean has(String productId) {
        return snapshot.products().containsKey(productId);
    }

    /** All that are known. */
    List<Sale> sales() {
        return snapshot.products().values().stream()
                .flatMap(known -> Stream.ofNullable(known.sale()))
                .toList();
    }

    /** The sale; refused with NO_SUCH_SALE, or BUSY when nobody can tell. Never waits. */
    public CompletableFuture<Outcome<Sale>> ask(String productId) {
        Outcome<Sale> known = known(productId);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return reads.run(READ, List.of(RedisKeys.sale(productId)), List.of())
                .handle((reply, failure) -> failure == null
                        ? sale(productId, pairs((List<?>) reply))
                        : Outcome.refused(Refusal.BUSY));
    }

    /** The sale if it is running; refused also with NOT_STARTED and ENDED. Never waits. */
    public CompletableFuture<Outcome<Sale>> askOpen(String productId) {
        return ask(productId).thenApply(known -> known.then(sale -> sale.ifOpen(clock.millis())));
    }

    /** As {@link #ask}, and waits for it: never on a pipeline's own thread. */
    public Outcome<Sale> get(String productId) {
        return ask(productId).join();
    }

    /** As {@link #askOpen}, and waits likewise. */
    public Outcome<Sale> open(String productId) {
        return askOpen(productId).join();
    }

    /** What the last reading says; null: nothing of this product. */
    private @Nullable Outcome<Sale> known(String productId) {
        Snapshot now = snapshot;
        if (clock.millis() - now.readAtMs() > USABLE_MS) {
            return Outcome.refused(Refusal.BUSY);
        }
        Sale sale = now.sale(productId);
        return sale == null ? null : Outcome.of(sale);
    }

    private static Outcome<Sale> sale(String productId, Map<String, String> fields) {
        if (fields.isEmpty()) {
            return Outcome.refused(Refusal.NO_SUCH_SALE);
        }
        try {
            return Outcome.of(Sale.of(productId, fields));
        } catch (IllegalArgumentException e) {
            return Outcome.refused(Refusal.BUSY);
        }
    }

    private static Map<String, String> pairs(List<?> reply) {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < reply.size(); i += 2) {
            fields.put((String) reply.get(i), (String) reply.get(i + 1));
        }
        return fields;
    }

    /** Reads them all again. Throws, and changes nothing, when the control Redis is away. */
    public void refresh() {
        long nowMs = clock.millis();
        // Known sales first: what somebody else puts into the set must not push them out.
        List<String> products = control.smembers(RedisKeys.SALES).stream()
                .filter(Ids::isProduct)
                .sorted(Comparator.comparing((String product) -> snapshot.sale(product) == null)
                        .thenComparing(Comparator.naturalOrder()))
                .limit(Bounds.SALES + 1L)
                .toList();
        if (products.size() > Bounds.SALES) {
            LOG.error(
                    "{} lists more than {} sales; the rest is ignored",
                    RedisKeys.SALES,
                    Bounds.SALES);
            products = products.subList(0, Bounds.SALES);
        }
        Map<String, Known> next = facts(products, nowMs);
        snapshot.products().forEach((product, known) -> {
            if (known.lingers(nowMs) && next.size() < Bounds.SALES) {
                next.putIfAbsent(product, known);
            }
        });
        snapshot = new Snapshot(next, nowMs);
    }

    private Map<String, Known> facts(List<String> products, long nowMs) {
        Map<String, Response<Map<String, String>>> replies = new HashMap<>();
        try (AbstractPipeline pipeline = control.pipelined()) {
            products.forEach(
                    product -> replies.put(product, pipeline.hgetAll(RedisKeys.sale(product))));
        }
        Map<String, Known> facts = new HashMap<>();
        replies.forEach(
                (product, reply) -> facts.put(product, new Known(parse(product, reply), nowMs)));
        return facts;
    }

    private @Nullable Sale parse(String productId, Response<Map<String, String>> reply) {
        try {
            return Sale.of(productId, reply.get());
        } catch (JedisException | IllegalArgumentException e) {
            LOG.warn("{}: last good facts are kept: {}", RedisKeys.sale(productId), e.getMessage());
            return snapshot.sale(productId);
        }
    }
}
