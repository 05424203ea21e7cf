package io.seckill.shard;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.StockReturn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * One independent Redis that holds a part of each product's units.
 *
 * <p>Every method answers, or throws {@link ShardDownException} (not done) or {@link
 * ShardUnknownException} (sent, not answered). Every write may be repeated: the shard remembers by
 * reservation id what it did. Safe for any number of threads; 64 may talk at once.
 */
public final class Shard implements AutoCloseable {

    private static final Duration LONGEST_BLOCK = Duration.ofMillis(500);

    private final int index;
    private final String name;
    private final Wire wire;

    public Shard(int index, String host, int port) {
        this.index = index;
        name = "shard " + index + " (" + host + ":" + port + ")";
        wire = new Wire(name, host, port);
    }

    public int index() {
        return index;
    }

    /** Takes units for a user; reserve.lua lists the answers. */
    public ReserveOutcome reserve(Reserve r) {
        List<?> reply = wire.run(
                Script.RESERVE,
                keys(r.productId()),
                List.of(
                        r.reservationId(),
                        r.userId(),
                        Integer.toString(r.quantity()),
                        Long.toString(r.deadlineMs())));
        String detail = reply.size() > 1 ? (String) reply.get(1) : null;
        return new ReserveOutcome(ReserveOutcome.Word.valueOf(word(reply)), detail);
    }

    /** Gives this shard its part of a product; never resets what is there. */
    public LoadOutcome load(String productId, int epoch, long quantity) {
        if (epoch < 1 || quantity < 0) {
            throw new IllegalArgumentException(
                    "cannot load " + quantity + " units of epoch " + epoch + " into " + name);
        }
        return LoadOutcome.valueOf(word(wire.run(
                Script.LOAD,
                List.of(RedisKeys.stock(productId)),
                List.of(Integer.toString(epoch), Long.toString(quantity)))));
    }

    /** Returns or burns the units of a reservation, once; give_back.lua lists the answers. */
    public ReturnOutcome giveBack(StockReturn r) {
        return ReturnOutcome.valueOf(word(wire.run(
                Script.GIVE_BACK,
                keys(r.productId()),
                List.of(
                        r.reservationId(),
                        r.userId(),
                        Integer.toString(r.quantity()),
                        Integer.toString(r.epoch()),
                        r.action().name()))));
    }

    /** The counters; empty when the product was never loaded here. */
    public Optional<StockCount> stock(String productId) {
        return StockCount.of(list(wire.ask(new CommandArguments(Command.HMGET)
                .key(RedisKeys.stock(productId))
                .addObjects((Object[]) StockCount.FIELDS))));
    }

    /** All there is about a product; under load that does not pause, not of one instant. */
    public Books books(String productId) {
        return new BooksReader(wire, productId).read();
    }

    /** The reservation this user holds here. */
    public Optional<String> holder(String productId, String userId) {
        return Optional.ofNullable((String) wire.ask(new CommandArguments(Command.HGET)
                .key(RedisKeys.buyers(productId))
                .add(userId)));
    }

    /** The reservation as it is kept here; empty when this shard never heard of it. */
    public Optional<Books.Kept> reservation(String productId, String reservationId) {
        Object packed = wire.ask(new CommandArguments(Command.HGET)
                .key(RedisKeys.reservations(productId))
                .add(reservationId));
        return Optional.ofNullable((String) packed).map(Books.Kept::of);
    }

    /**
     * Reads up to {@code count} of the oldest entries of each product's outbox; when there are
     * none, waits for one at most {@code block} (1 to 500 ms).
     */
    public List<OutboxEntry> outbox(List<String> productIds, int count, Duration block) {
        if (block.toMillis() < 1 || block.compareTo(LONGEST_BLOCK) > 0) {
            throw new IllegalArgumentException("cannot wait " + block + " for an outbox");
        }
        CommandArguments read = new CommandArguments(Command.XREAD)
                .blocking()
                .add("COUNT")
                .add(count)
                .add("BLOCK")
                .add(block.toMillis())
                .add("STREAMS");
        productIds.forEach(product -> read.key(RedisKeys.outbox(product)));
        productIds.forEach(product -> read.add("0"));
        List<OutboxEntry> entries = new ArrayList<>();
        for (List<?> stream : Shard.<List<?>>list(wire.ask(read))) {
            String productId = RedisKeys.productOf((String) stream.get(0));
            Shard.<List<?>>list(stream.get(1))
                    .forEach(entry -> entries.add(
                            OutboxEntry.of(productId, (String) entry.get(0), list(entry.get(1)))));
        }
        return entries;
    }

    /** Deletes handed-over entries by their stream ids (at least one). */
    public void delete(String productId, Collection<String> ids) {
        wire.ask(new CommandArguments(Command.XDEL)
                .key(RedisKeys.outbox(productId))
                .addObjects(ids));
    }

    /** Moves an entry that cannot be read to the product's parked stream, for a human. */
    public void park(String productId, String id) {
        wire.run(
                Script.PARK,
                List.of(RedisKeys.outbox(productId), RedisKeys.parked(productId)),
                List.of(id));
    }

    private static List<String> keys(String productId) {
        return List.of(
                RedisKeys.stock(productId),
                RedisKeys.buyers(productId),
                RedisKeys.reservations(productId),
                RedisKeys.outbox(productId));
    }

    private static String word(List<?> reply) {
        return (String) reply.get(0);
    }

    /** A missing list (XREAD found nothing) is an empty one. */
    @SuppressWarnings("unchecked")
    private static <T> List<T> list(Object reply) {
        return reply == null ? List.of() : (List<T>) reply;
    }

    @Override
    public void close() {
        wire.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
