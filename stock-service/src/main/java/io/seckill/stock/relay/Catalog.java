package io.seckill.stock.relay;

import io.seckill.contracts.Limits;
import io.seckill.contracts.RedisKeys;
import io.seckill.stock.sale.Sale;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;

/** What the control Redis says of sales: read in one round trip, written only where it is wrong. */
@Component
final class Catalog {

    private final RedisClient redis;

    Catalog(RedisClient redis) {
        this.redis = redis;
    }

    /**
     * What is written of one sale.
     *
     * @param quota total, issued, epoch; null where missing
     * @param percent the operator's {@code quota_percent}; null when not set
     */
    record Entry(Map<String, String> sale, List<String> quota, String percent, boolean isListed) {}

    /** One answer per sale, in order; an answer throws when a key of it has the wrong type. */
    List<Supplier<Entry>> read(List<Sale> sales) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            List<Supplier<Entry>> answers =
                    sales.stream().map(sale -> ask(pipeline, sale.productId())).toList();
            pipeline.sync();
            return answers;
        }
    }

    private static Supplier<Entry> ask(AbstractPipeline pipeline, String productId) {
        Response<Map<String, String>> sale = pipeline.hgetAll(RedisKeys.sale(productId));
        Response<List<String>> quota =
                pipeline.hmget(RedisKeys.quota(productId), "total", "issued", "epoch");
        Response<String> percent =
                pipeline.hget(RedisKeys.productLimits(productId), Limits.QUOTA_PERCENT);
        Response<Boolean> isListed = pipeline.sismember(RedisKeys.SALES, productId);
        return () -> new Entry(sale.get(), quota.get(), percent.get(), isListed.get());
    }

    /** Writes what differs; the list comes last, so that whoever finds a sale finds all of it. */
    void write(Sale sale, Entry found, boolean isSoldOut, Map<String, String> quota) {
        Map<String, String> facts = new HashMap<>(facts(sale, isSoldOut));
        facts.entrySet().removeAll(found.sale().entrySet());
        if (!facts.isEmpty()) {
            redis.hset(RedisKeys.sale(sale.productId()), facts);
        }
        if (!quota.isEmpty()) {
            redis.hset(RedisKeys.quota(sale.productId()), quota);
        }
        if (!found.isListed()) {
            redis.sadd(RedisKeys.SALES, sale.productId());
        }
    }

    private static Map<String, String> facts(Sale sale, boolean isSoldOut) {
        return Map.ofEntries(
                Map.entry("product_id", sale.productId()),
                Map.entry("name", sale.name()),
                Map.entry("price_cents", Long.toString(sale.priceCents())),
                Map.entry("start_at_ms", Long.toString(sale.startAtMs())),
                Map.entry("end_at_ms", Long.toString(sale.endAtMs())),
                Map.entry("per_user_limit", Integer.toString(sale.perUserLimit())),
                Map.entry("path", sale.path()),
                Map.entry("pay_within_s", Integer.toString(sale.payWithinS())),
                Map.entry("stock_total", Long.toString(sale.stockTotal())),
                Map.entry("epoch", Integer.toString(sale.epoch())),
                Map.entry("shard_count", Integer.toString(sale.shardCount())),
                Map.entry("sold_out", isSoldOut ? "1" : "0"));
    }
}
