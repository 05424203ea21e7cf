package io.seckill.shard;

import io.seckill.contracts.RedisEndpoint;
import io.seckill.contracts.RedisKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * One independent Redis that holds a part of each product's stock.
 *
 * <p>Every method answers, or throws {@link ShardDownException} (not done) or {@link
 * ShardUnknownException} (sent, not answered). No command names keys of two products. Safe for any
 * number of threads; 64 may talk at once.
 */
public final class Shard implements AutoCloseable {

    /** A silence of this length is an unknown outcome. */
    static final Duration PATIENCE = Duration.ofMillis(200);

    /** Commands sent together: a few of these per millisecond keep the shard from nobody. */
    private static final int PIPELINE = 128;

    private static final Script DELETE = Script.of(Shard.class, "/shard/delete.lua");
    private static final Script LEASE = Script.of(Shard.class, "/shard/lease.lua");
    private static final Script PARK = Script.of(Shard.class, "/shard/park.lua");

    private final int index;
    private final String name;
    private final Connections connections;
    private final Pipeline pipeline;

    /** A password of the endpoint stands in no message. */
    public Shard(int index, RedisEndpoint endpoint) {
        this(index, endpoint, PATIENCE);
    }

    /** For who would rather wait than know early that it is silent: a test of something else. */
    public Shard(int index, RedisEndpoint endpoint, Duration patience) {
        this.index = index;
        name = "shard " + index + " (" + endpoint + ")";
        connections = new Connections(name, endpoint, patience);
        pipeline = new Pipeline(name, connections);
        pipeline.start();
    }

    public int index() {
        return index;
    }

    /** By which it compares deadlines. */
    public ShardClock clock() {
        return pipeline.clock();
    }

    /** It was silent, and whoever asks by {@link #runAsync} is refused until it answers. */
    public boolean isLeftOut() {
        return pipeline.isLeftOut();
    }

    /** Calls of {@link #runAsync} that are not sent yet. */
    public int waiting() {
        return pipeline.waiting();
    }

    /**
     * Whoever asks from now on is answered by the server that the address leads to, not by one that
     * it led to before; at once by {@link #runAsync}, else within seconds.
     */
    public void renew() {
        pipeline.renew();
        connections.renew();
    }

    /** Why this Redis must be given no units, in an operator's words; empty: it may. */
    public Optional<String> fault() {
        return Fitness.fault((String) ask(new CommandArguments(Command.INFO)));
    }

    /** The reply to one command, texts decoded. */
    public Object ask(CommandArguments command) {
        return connections.ask(command);
    }

    /**
     * The reply of a script, texts decoded. An error of a script must mean that it wrote nothing.
     */
    public Object run(Script script, List<String> keys, List<String> args) {
        return connections.run(script, keys, args);
    }

    /**
     * The same without waiting, sent together with what others ask meanwhile; the future ends with
     * the reply, or as {@link Pipeline} says. What follows on it must not wait for anything.
     */
    public CompletableFuture<Object> runAsync(Script script, List<String> keys, List<String> args) {
        return pipeline.run(script, keys, args);
    }

    /**
     * The oldest entries of each product's outbox, up to {@code count} of each, in the order of the
     * products. An outbox that cannot be read is told to {@code unreadable} with its error and
     * keeps the others from nothing.
     */
    public List<OutboxEntry> outbox(
            Collection<String> productIds, int count, BiConsumer<String, String> unreadable) {
        List<String> products = List.copyOf(productIds);
        List<OutboxEntry> entries = new ArrayList<>();
        for (int from = 0; from < products.size(); from += PIPELINE) {
            List<String> some = products.subList(from, Math.min(from + PIPELINE, products.size()));
            List<Object> replies = connections.askAll(
                    some.stream().map(product -> oldest(product, count)).toList());
            for (int i = 0; i < some.size(); i++) {
                if (replies.get(i) instanceof JedisDataException e) {
                    unreadable.accept(some.get(i), String.valueOf(e.getMessage()));
                } else {
                    addEntries(entries, some.get(i), replies.get(i));
                }
            }
        }
        return entries;
    }

    private static CommandArguments oldest(String productId, int count) {
        return new CommandArguments(Command.XRANGE)
                .key(RedisKeys.outbox(productId))
                .add("-")
                .add("+")
                .add("COUNT")
                .add(count);
    }

    private static void addEntries(List<OutboxEntry> entries, String productId, Object reply) {
        for (List<?> entry : Shard.<List<?>>list(reply)) {
            entries.add(OutboxEntry.of(productId, (String) entry.get(0), list(entry.get(1))));
        }
    }

    /**
     * Deletes handed-over entries (at least one, the oldest first) where the server has the same
     * text in that field of theirs; others it leaves.
     */
    public void delete(String productId, List<OutboxEntry> entries, String field) {
        List<String> args = new ArrayList<>(List.of(field));
        for (OutboxEntry entry : entries) {
            args.add(entry.id());
            args.add(entry.fields().getOrDefault(field, ""));
        }
        run(DELETE, List.of(RedisKeys.outbox(productId)), args);
    }

    /**
     * Takes the lease of that key in this shard for a time, or keeps it, or gives it back (zero).
     * True: it is held.
     */
    public boolean lease(String key, String holder, Duration time) {
        List<String> args = List.of(holder, Long.toString(time.toMillis()));
        return run(LEASE, List.of(key), args).equals(List.of("HELD"));
    }

    /** Moves an entry that cannot be read to the product's parked stream, for a human. */
    public void park(String productId, String id) {
        run(PARK, List.of(RedisKeys.outbox(productId), RedisKeys.parked(productId)), List.of(id));
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> list(Object reply) {
        return (List<T>) reply;
    }

    @Override
    public void close() {
        pipeline.close();
        connections.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
