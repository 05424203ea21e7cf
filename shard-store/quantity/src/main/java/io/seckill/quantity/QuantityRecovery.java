package io.seckill.quantity;

import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import io.seckill.shard.Shard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * How a shard's part of a product is taken back: read, opened, or rebuilt from its live orders.
 *
 * <p>Whatever changes something names the Redis that was read and the epoch that was decided: a
 * recoverer that slept, and one whose shard is another process by now, change nothing. All of it
 * may be repeated.
 */
public final class QuantityRecovery {

    private static final Script STATE = script("state");
    private static final Script OPEN = script("open");
    private static final Script BEGIN = script("rebuild_begin");
    private static final Script PAGE = script("rebuild_page");
    private static final Script END = script("rebuild_end");
    private static final Script CLOSE = script("close");
    private static final Script TOP_UP = script("top_up");

    private final Shard shard;

    public QuantityRecovery(Shard shard) {
        this.shard = shard;
    }

    /** Asks whoever has the shard's address from here on, and no old master that lives on. */
    public void renew() {
        shard.renew();
    }

    /** What is known of a product here. */
    public ShardState state(String productId) {
        return ShardState.of((List<?>) shard.run(STATE, allKeys(productId), List.of()));
    }

    /** The same without waiting, in one pipeline with the wishes of others. */
    public CompletableFuture<ShardState> stateAsync(String productId) {
        return shard.runAsync(STATE, allKeys(productId), List.of())
                .thenApply(reply -> ShardState.of((List<?>) reply));
    }

    /** Opens the data that was read, in this epoch; false: it is not as it was read. */
    public boolean open(String productId, ShardState read, int epoch) {
        StockCount stock = read.stock().orElseThrow();
        return done(shard.run(
                OPEN,
                List.of(RedisKeys.stock(productId)),
                List.of(
                        read.identity(),
                        Integer.toString(epoch),
                        Integer.toString(stock.epoch()),
                        Long.toString(stock.seq()),
                        Long.toString(stock.init()))));
    }

    /** Forgets the product, but for its outbox; false: another recovery has gone on. */
    public boolean begin(String productId, String identity, int epoch) {
        return done(shard.run(BEGIN, allKeys(productId), head(identity, epoch)));
    }

    /** A reservation of a live order. */
    public record Held(String reservationId, Books.Kept kept) {}

    /** Puts some of the reservations in, a thousand at most; false as {@link #begin}. */
    public CompletableFuture<Boolean> pageAsync(
            String productId, String identity, int epoch, List<Held> page) {
        List<String> args = head(identity, epoch);
        for (Held held : page) {
            args.add(held.reservationId());
            args.add(held.kept().userId());
            args.add(held.kept().packed());
        }
        return shard.runAsync(PAGE, keys(productId), args).thenApply(QuantityRecovery::done);
    }

    /** Writes the counters, when so many reservations are there; false as {@link #begin}. */
    public boolean end(String productId, String identity, int epoch, Rebuilt rebuilt) {
        List<String> args = head(identity, epoch);
        args.add(Long.toString(rebuilt.reservations()));
        args.add(Long.toString(rebuilt.allocated()));
        args.add(Long.toString(rebuilt.held()));
        args.add(rebuilt.mayHaveGuests() ? "1" : "0");
        return done(shard.run(END, keys(productId), args));
    }

    /**
     * What a rebuilt product has.
     *
     * @param allocated units the shard was given
     * @param held units of its live orders
     */
    public record Rebuilt(long reservations, long allocated, long held, boolean mayHaveGuests) {}

    /**
     * Units that were added to this shard's part when its ledger was in an epoch; false: it cannot
     * take them yet. Those of one product come in the order of their ids.
     */
    public boolean topUp(String productId, long changeId, int epoch, long units) {
        Object reply = shard.run(
                TOP_UP,
                List.of(RedisKeys.stock(productId)),
                List.of(Long.toString(changeId), Integer.toString(epoch), Long.toString(units)));
        return ((List<?>) reply).get(0).equals("DONE");
    }

    /** Sells nothing of the product here any more; done only where the shard takes writes. */
    public void close(String productId) {
        shard.run(CLOSE, List.of(RedisKeys.stock(productId)), List.of());
    }

    private static List<String> head(String identity, int epoch) {
        return new ArrayList<>(List.of(identity, Integer.toString(epoch)));
    }

    private static boolean done(Object reply) {
        String word = (String) ((List<?>) reply).get(0);
        return !word.equals("OTHER_REDIS") && !word.equals("CHANGED");
    }

    private static List<String> keys(String productId) {
        return List.of(
                RedisKeys.stock(productId),
                RedisKeys.buyers(productId),
                RedisKeys.reservations(productId));
    }

    private static List<String> allKeys(String productId) {
        List<String> keys = new ArrayList<>(keys(productId));
        keys.add(RedisKeys.outbox(productId));
        return keys;
    }

    private static Script script(String name) {
        return Script.of(QuantityRecovery.class, "/quantity/" + name + ".lua");
    }

    @Override
    public String toString() {
        return shard.toString();
    }
}
