package io.seckill.stock.relay;

import io.seckill.contracts.Limits;
import io.seckill.contracts.PublishedSale;
import io.seckill.contracts.RedisKeys;
import io.seckill.quantity.SoldOutWord;
import io.seckill.shard.Script;
import io.seckill.stock.sale.Sale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.util.SafeEncoder;

/** What the control Redis says of sales: read in one round trip, written only where it is wrong. */
@Component
final class Catalog {

    private static final String SOLD_OUT = "sold_out";

    /** Begins an epoch of a quota, unless somebody wrote it since it was read. */
    private static final Script BEGIN_QUOTA = Script.of("""
            local was = redis.call('HMGET', KEYS[1], 'issued', 'epoch', 'units', 'open_for')
            for i = 1, 4 do
                if (was[i] or '') ~= ARGV[i] then return 0 end
            end
            local time = redis.call('TIME')
            local epoch = time[1] * 1000 + math.floor(time[2] / 1000)
            local identity = redis.call('INFO', 'replication'):match('master_replid:(%x+)')
            redis.call('DEL', KEYS[1])
            redis.call('HSET', KEYS[1], 'total', ARGV[5], 'issued', '0',
                'epoch', string.format('%d', epoch), 'units', ARGV[6], 'open_for', identity,
                'percent', ARGV[7])
            return 1""");

    /** Of the epoch and the total that were read, and no other; what is issued meanwhile stands. */
    private static final Script SET_TOTAL = Script.of("""
            local was = redis.call('HMGET', KEYS[1], 'epoch', 'total', 'issued')
            if was[1] ~= ARGV[1] or (was[2] or '') ~= ARGV[2] then return 0 end
            local total = math.max(ARGV[3], was[3])
            redis.call('HSET', KEYS[1], 'total', string.format('%d', total), 'percent', ARGV[4])
            return 1""");

    private static final Pattern IDENTITY = Pattern.compile("master_replid:([0-9a-f]+)");

    private final RedisClient redis;
    private final SoldOutWord word;

    Catalog(RedisClient redis, SoldOutWord word) {
        this.redis = redis;
        this.word = word;
    }

    /**
     * What is written of one sale.
     *
     * @param identity of the control Redis that was asked
     * @param percent the operator's {@code quota_percent}; null when not set
     * @param areLimitsKept a limit that is missing is not set; else it may have been lost
     */
    record Entry(
            Map<String, String> sale,
            Quota quota,
            String identity,
            String percent,
            boolean areLimitsKept,
            boolean isListed,
            boolean isRemoved) {}

    /** One answer per sale, in order; an answer throws when a key of it has the wrong type. */
    List<Supplier<Entry>> read(List<Sale> sales) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> before = pipeline.get(RedisKeys.LIMITS_KEPT);
            List<Response<String>> after = new ArrayList<>(1);
            BooleanSupplier areKept = () ->
                    before.get() != null && before.get().equals(after.get(0).get());
            Response<Object> info = pipeline.sendCommand(Command.INFO, "replication");
            AtomicReference<String> identity = new AtomicReference<>();
            List<Supplier<Entry>> answers = sales.stream()
                    .map(sale -> ask(pipeline, sale.productId(), identity::get, areKept))
                    .toList();
            after.add(pipeline.get(RedisKeys.LIMITS_KEPT));
            pipeline.sync();
            identity.set(identity(info));
            return answers;
        }
    }

    private static Supplier<Entry> ask(
            AbstractPipeline pipeline,
            String productId,
            Supplier<String> identity,
            BooleanSupplier areLimitsKept) {
        Response<Map<String, String>> sale = pipeline.hgetAll(RedisKeys.sale(productId));
        Response<List<String>> quota = pipeline.hmget(RedisKeys.quota(productId), Quota.FIELDS);
        Response<String> percent =
                pipeline.hget(RedisKeys.productLimits(productId), Limits.QUOTA_PERCENT);
        Response<Boolean> isListed = pipeline.sismember(RedisKeys.SALES, productId);
        Response<Boolean> isRemoved = pipeline.exists(RedisKeys.removed(productId));
        return () -> new Entry(
                sale.get(),
                Quota.of(quota.get()),
                identity.get(),
                percent.get(),
                areLimitsKept.getAsBoolean(),
                isListed.get(),
                isRemoved.get());
    }

    private static String identity(Response<Object> info) {
        Matcher matcher = IDENTITY.matcher(SafeEncoder.encode((byte[]) info.get()));
        if (!matcher.find()) {
            throw new IllegalStateException("the control Redis tells no master_replid");
        }
        return matcher.group(1);
    }

    /**
     * Writes what differs; the list comes last, so that whoever finds a sale finds all of it.
     *
     * @param percent of the units: how many attempts the quota is
     */
    void write(Sale sale, Entry found, UnitsLeft.Count left, long percent) {
        boolean isSoldOut = left.isSoldOut();
        Map<String, String> facts = new HashMap<>(published(sale, isSoldOut).hash());
        facts.entrySet().removeAll(found.sale().entrySet());
        if (found.sale().containsKey(SOLD_OUT) && facts.remove(SOLD_OUT) != null) {
            say(sale.productId(), isSoldOut, found);
        }
        if (!facts.isEmpty()) {
            redis.hset(RedisKeys.sale(sale.productId()), facts);
        }
        writeQuota(RedisKeys.quota(sale.productId()), found, Math.max(0, left.units()), percent);
        if (!found.isListed()) {
            redis.sadd(RedisKeys.SALES, sale.productId());
        }
    }

    private void writeQuota(String key, Entry found, long left, long percent) {
        Quota quota = found.quota();
        if (!quota.isOpenFor(found.identity())) {
            BEGIN_QUOTA.run(
                    redis,
                    List.of(key),
                    texts(
                            quota.issued(),
                            quota.epoch(),
                            quota.units(),
                            quota.openFor(),
                            Long.toString(Quota.share(left, percent)),
                            Long.toString(left),
                            Long.toString(percent)));
            return;
        }
        String right = Long.toString(quota.rightTotal(percent, left));
        if (!right.equals(quota.total()) || !quota.isOf(percent)) {
            SET_TOTAL.run(
                    redis,
                    List.of(key),
                    texts(quota.epoch(), quota.total(), right, Long.toString(percent)));
        }
    }

    /** Missing ones as scripts compare them. */
    private static List<String> texts(@Nullable String... values) {
        return Arrays.stream(values)
                .map(text -> Objects.requireNonNullElse(text, ""))
                .toList();
    }

    /** Sold out is said of what the shards had when {@code found} was read, or later. */
    private void say(String productId, boolean isSoldOut, Entry found) {
        if (isSoldOut) {
            String version = found.sale().get(RedisKeys.STOCK_VERSION);
            word.soldOut(productId, SoldOutWord.versionOf(version));
        } else {
            word.unitsBack(productId);
        }
    }

    /**
     * Forgets a sale and says so for a time. The word comes first, so that nobody writes of the
     * sale again; then the list, so that whoever finds a sale finds all of it.
     */
    void remove(String productId, long rememberedUntilMs) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            pipeline.set(
                    RedisKeys.removed(productId),
                    "1",
                    SetParams.setParams().pxAt(rememberedUntilMs));
            pipeline.srem(RedisKeys.SALES, productId);
            pipeline.unlink(RedisKeys.sale(productId));
            pipeline.unlink(RedisKeys.quota(productId));
            pipeline.unlink(RedisKeys.productLimits(productId));
            pipeline.sync();
        }
        word.forget(productId);
    }

    /** Forgets what these users were told of a product. */
    void removeResults(String productId, Collection<String> users) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            users.forEach(user -> pipeline.unlink(RedisKeys.result(productId, user)));
            pipeline.sync();
        }
    }

    private static PublishedSale published(Sale sale, boolean isSoldOut) {
        return new PublishedSale(
                sale.productId(),
                sale.name(),
                sale.priceCents(),
                sale.startAtMs(),
                sale.endAtMs(),
                sale.perUserLimit(),
                sale.path().equals("on"),
                sale.payWithinS(),
                sale.stockTotal(),
                sale.placements(),
                isSoldOut,
                sale.synthetic());
    }
}
