package io.seckill.spec;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import io.seckill.contracts.StockReturn.Action;
import io.seckill.quantity.Books;
import io.seckill.quantity.HeldUnits;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityRecovery.Held;
import io.seckill.quantity.QuantityRecovery.Rebuilt;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.Reserve;
import io.seckill.quantity.ReserveOutcome;
import io.seckill.quantity.ReturnOutcome;
import io.seckill.quantity.ShardState;
import io.seckill.shard.Shard;
import io.seckill.testkit.RedisProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.StreamEntryID;

/**
 * A real Redis in any state of the model, the scripts of the shards on it, and what they left
 * there as the model has it.
 */
final class RealShard implements AutoCloseable {

    private static final int MANY = 1_000;
    private static final long LATER_MS = 4_000_000_000_000L;

    private final String product;
    private final String stockKey;
    private final String buyersKey;
    private final String reservationsKey;
    private final String outboxKey;
    private final Jedis jedis;
    private final Shard node;
    private final QuantityStock scripts;
    private final QuantityRecovery recovery;
    private final String process;

    RealShard(RedisProcess redis, String product) {
        this.product = product;
        stockKey = RedisKeys.stock(product);
        buyersKey = RedisKeys.buyers(product);
        reservationsKey = RedisKeys.reservations(product);
        outboxKey = RedisKeys.outbox(product);
        jedis = redis.connect();
        node = new Shard(0, RedisEndpoint.of("test", redis.uri()), Duration.ofSeconds(5));
        scripts = new QuantityStock(node);
        recovery = new QuantityRecovery(node);
        process = jedis.info("replication").replaceAll("(?s).*master_replid:(\\w+).*", "$1");
    }

    /** As this process holds it; the identity of any other is its number. */
    void put(Redis model) {
        jedis.flushAll();
        Stock stock = model.stock();
        if (stock.epoch > 0) {
            jedis.hset(stockKey, fields(stock));
        }
        if (stock.openFor > 0) {
            boolean own = stock.openFor == model.identity;
            jedis.hset(stockKey, "open_for", own ? process : "%040x".formatted(stock.openFor));
        }
        if (stock.building > 0) {
            jedis.hset(stockKey, "building", String.valueOf(stock.building));
        }
        stock.buyers.forEach((user, id) -> jedis.hset(buyersKey, user, RealTables.hex(id)));
        stock.reservations.forEach(
                (id, kept) -> jedis.hset(reservationsKey, RealTables.hex(id), packed(kept)));
        stock.outbox.forEach(taken -> jedis.xadd(outboxKey, StreamEntryID.NEW_ENTRY, entry(taken)));
    }

    private static Map<String, String> fields(Stock from) {
        Map<String, Integer> numbers = Map.of(
                "available", from.available,
                "init", from.init,
                "deducted", from.deducted,
                "returned", from.returned,
                "burned", from.burned,
                "epoch", from.epoch,
                "seq", from.seq,
                "rebuilt", from.rebuilt,
                "guests", 1);
        Map<String, String> to = new HashMap<>();
        numbers.forEach((name, n) -> to.put(name, n.toString()));
        if (!from.changes.isEmpty()) {
            to.put("changed", changeId(from.changes.last()));
        }
        return to;
    }

    /** Ids begin at 1. */
    private static String changeId(int number) {
        return String.valueOf(number + 1);
    }

    private static String packed(Kept kept) {
        Taken t = kept.taken();
        return "%s|%s|%d|1|%d|%d".formatted(kept.state(), t.user(), t.units(), t.epoch(), t.seq());
    }

    /** In the order in which reserve.lua writes them. */
    private static Map<String, String> entry(Taken t) {
        Map<String, String> to = new LinkedHashMap<>();
        to.put("reservation_id", RealTables.hex(t.id()));
        to.put("user_id", t.user());
        to.put("quantity", String.valueOf(t.units()));
        to.put("epoch", String.valueOf(t.epoch()));
        to.put("seq", String.valueOf(t.seq()));
        to.put("reserved_at_ms", "1");
        return to;
    }

    ReserveOutcome.Word reserve(Request r) {
        return scripts.reserve(new Reserve(
                        RealTables.hex(r.id()),
                        product,
                        r.user(),
                        r.units(),
                        false,
                        Long.MAX_VALUE))
                .word();
    }

    ReturnOutcome.Word giveBack(GiveBack r) {
        Action action = r.burns() ? Action.BURN : Action.RETURN;
        return scripts.giveBack(new StockReturn(
                        RealTables.hex(r.id()), product, "anyone", 9, 0, r.epoch(), action, "test"))
                .word();
    }

    boolean topUp(Change c) {
        return recovery.topUp(product, Long.parseLong(changeId(c.number())), c.epoch(), c.units());
    }

    boolean tellAgain(int epoch, String id) {
        return new HeldUnits(scripts).tellAgain(product, epoch, RealTables.hex(id));
    }

    /** Those that hold units, with the stock's epoch and init; empty: it does not tell. */
    String held() {
        return new HeldUnits(scripts)
                .page(product, "0", MANY, LATER_MS)
                .map(page -> page.epoch() + " " + page.init() + " " + texts(page.ids()))
                .orElse("");
    }

    /** Those of them that hold none; empty: it does not tell. */
    String unheld(int epoch, List<String> ids) {
        return new HeldUnits(scripts)
                .unheld(product, epoch, ids.stream().map(RealTables::hex).toList())
                .map(RealShard::texts)
                .orElse("");
    }

    private static String texts(List<String> ids) {
        return ids.stream().map(RealTables::text).sorted().toList().toString();
    }

    /** The step that the recoverer is at, as {@code Redis} has it. */
    boolean recover(Redis model, Recovery r) {
        return recover(model, r, process);
    }

    /** The same by one that saw another Redis. */
    boolean recoverAnother(Redis model, Recovery r) {
        return recover(model, r, "0".repeat(process.length()));
    }

    private boolean recover(Redis model, Recovery r, String identity) {
        put(model);
        return switch (r.at) {
            case OPEN_SOUND -> {
                put(new Redis(model.identity, Set.of(), List.of(r.seen)));
                ShardState read = recovery.state(product);
                put(model);
                yield open(read, identity, r.epoch);
            }
            case BEGIN -> recovery.begin(product, identity, r.epoch);
            case PAGES ->
                recovery.pageAsync(product, identity, r.epoch, List.of(held(r.live.get(r.page))))
                        .join();
            case FINISH ->
                recovery.end(
                        product,
                        identity,
                        r.epoch,
                        new Rebuilt(r.live.size(), r.allocated, r.liveUnits(), true));
            case OPEN_BUILT -> open(recovery.state(product), identity, r.epoch);
            default -> throw new IllegalArgumentException("no script: " + r.at);
        };
    }

    private boolean open(ShardState read, String identity, int epoch) {
        return recovery.open(
                product,
                new ShardState(identity, read.openFor(), read.stock(), read.rebuilt(), 0, 0),
                epoch);
    }

    private static Held held(Taken t) {
        return new Held(
                RealTables.hex(t.id()),
                new Books.Kept(Books.State.R, t.user(), t.units(), 1, t.epoch(), t.seq()));
    }

    /** What is there now; reservations and entries are of this shard of the model. */
    Stock get(Redis model, int shard) {
        Map<String, String> found = jedis.hgetAll(stockKey);
        Stock to = new Stock();
        to.available = number(found, "available");
        to.init = number(found, "init");
        to.deducted = number(found, "deducted");
        to.returned = number(found, "returned");
        to.burned = number(found, "burned");
        to.epoch = number(found, "epoch");
        to.seq = number(found, "seq");
        to.rebuilt = number(found, "rebuilt");
        to.building = number(found, "building");
        if (found.containsKey("changed")) {
            to.changes.add(number(found, "changed") - 1);
        }
        String openFor = found.getOrDefault("open_for", "0");
        to.openFor = openFor.equals(process) ? model.identity : Integer.parseInt(openFor, 16);
        jedis.hgetAll(buyersKey).forEach((user, id) -> to.buyers.put(user, RealTables.text(id)));
        jedis.hgetAll(reservationsKey).forEach((id, packed) -> {
            String[] p = packed.split("\\|");
            Taken taken = taken(id, p[1], p[2], shard, p[4], p[5]);
            to.reservations.put(taken.id(), new Kept(Kept.State.valueOf(p[0]), taken));
        });
        jedis.xrange(outboxKey, "-", "+").forEach(entry -> {
            Map<String, String> f = entry.getFields();
            to.outbox.add(taken(
                    f.get("reservation_id"),
                    f.get("user_id"),
                    f.get("quantity"),
                    shard,
                    f.get("epoch"),
                    f.get("seq")));
        });
        return to;
    }

    /** As a shard has it, which keeps the latest of its changes only. */
    static Stock kept(Stock model) {
        Stock to = new Stock(model);
        if (!to.changes.isEmpty()) {
            to.changes.headSet(to.changes.last()).clear();
        }
        return to;
    }

    private static Taken taken(
            String id, String user, String units, int shard, String epoch, String seq) {
        return new Taken(
                RealTables.text(id),
                user,
                Integer.parseInt(units),
                shard,
                Integer.parseInt(epoch),
                Integer.parseInt(seq));
    }

    private static int number(Map<String, String> found, String field) {
        return Integer.parseInt(found.getOrDefault(field, "0"));
    }

    @Override
    public void close() {
        node.close();
        jedis.close();
    }
}
