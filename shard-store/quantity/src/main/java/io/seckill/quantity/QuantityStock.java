package io.seckill.quantity;

import io.seckill.contracts.RedisKeys;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.shard.OutboxEntry;
import io.seckill.shard.Script;
import io.seckill.shard.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * The counted units of all products in one shard.
 *
 * <p>Every method answers or throws as {@link Shard} does. Every write may be repeated: the shard
 * remembers by reservation id what it did.
 */
public final class QuantityStock {

    private static final Script RESERVE = script("reserve");
    private static final Script MARK = script("mark");
    private static final Script FATE = script("fate");
    private static final Script GIVE_BACK = script("give_back");
    private static final Script LOAD = script("load");
    private static final Script REMOVE = script("remove");
    private static final Script LEFT = script("left");

    private static final String RESERVATION_ID = "reservation_id"; // of an outbox entry

    private final Shard shard;

    public QuantityStock(Shard shard) {
        this.shard = shard;
    }

    /** Where it lies. */
    public Shard shard() {
        return shard;
    }

    public int index() {
        return shard.index();
    }

    /** Takes units for a user; reserve.lua lists the answers. Waits for one of them. */
    public ReserveOutcome reserve(Reserve r) {
        return waitFor(reserveAsync(r));
    }

    /** The same without waiting, in one pipeline with the wishes of others. */
    public CompletableFuture<ReserveOutcome> reserveAsync(Reserve r) {
        List<String> args = List.of(
                r.reservationId(),
                r.userId(),
                Integer.toString(r.quantity()),
                Long.toString(r.deadlineMs()),
                r.isGuest() ? "1" : "0");
        return shard.runAsync(RESERVE, keys(r.productId()), args)
                .thenApply(reply -> outcome((List<?>) reply));
    }

    private static ReserveOutcome outcome(List<?> reply) {
        return new ReserveOutcome(
                ReserveOutcome.Word.valueOf(word(reply)),
                (String) reply.get(1),
                !"0".equals(reply.get(2)));
    }

    /** What this user holds here, or held last; in one pipeline with the wishes of others. */
    public CompletableFuture<Mark> markAsync(String productId, String userId) {
        List<String> keys = List.of(
                RedisKeys.stock(productId),
                RedisKeys.buyers(productId),
                RedisKeys.ended(productId));
        return shard.runAsync(MARK, keys, List.of(userId))
                .thenApply(reply -> mark((List<?>) reply));
    }

    private static Mark mark(List<?> reply) {
        return new Mark(
                word(reply).equals("GATED"),
                Optional.of((String) reply.get(1)).filter(id -> !id.isEmpty()),
                !"0".equals(reply.get(2)),
                "0".equals(reply.get(3)),
                Ended.of((String) reply.get(4)));
    }

    /**
     * What became of a wish with this deadline, by the shard's clock; in one pipeline with others.
     */
    public CompletableFuture<Fate> fateAsync(
            String productId, String reservationId, long deadlineMs) {
        List<String> keys = List.of(RedisKeys.stock(productId), RedisKeys.reservations(productId));
        return shard.runAsync(FATE, keys, List.of(reservationId, Long.toString(deadlineMs)))
                .thenApply(reply -> Fate.valueOf(word(reply)));
    }

    /** Gives this shard its part of a product; never resets what is there. */
    public LoadOutcome load(String productId, int epoch, long quantity) {
        if (epoch < 1 || quantity < 0) {
            throw new IllegalArgumentException(
                    "cannot load " + quantity + " units of epoch " + epoch + " into " + shard);
        }
        return LoadOutcome.valueOf(word(shard.run(
                LOAD, keys(productId), List.of(Integer.toString(epoch), Long.toString(quantity)))));
    }

    /** As {@link #giveBackAsync}, of what nobody knows how it ended; waits for the answer. */
    public ReturnOutcome giveBack(StockReturn r) {
        return waitFor(giveBackAsync(r, Optional.empty()));
    }

    /**
     * Returns or burns the units of a reservation, once; give_back.lua lists the answers. The user
     * is told from here on how it ended. In one pipeline with what others ask.
     */
    public CompletableFuture<ReturnOutcome> giveBackAsync(StockReturn r, Optional<Ended> ended) {
        List<String> keys = List.of(
                RedisKeys.stock(r.productId()),
                RedisKeys.buyers(r.productId()),
                RedisKeys.reservations(r.productId()),
                RedisKeys.ended(r.productId()));
        List<String> args = List.of(
                r.reservationId(),
                Integer.toString(r.epoch()),
                r.action().name(),
                ended.map(Ended::packed).orElse(""),
                r.userId());
        return shard.runAsync(GIVE_BACK, keys, args)
                .thenApply(reply -> returnOutcome((List<?>) reply));
    }

    private static ReturnOutcome returnOutcome(List<?> reply) {
        int epoch = reply.size() > 1 ? Integer.parseInt((String) reply.get(1)) : 0;
        return new ReturnOutcome(ReturnOutcome.Word.valueOf(word(reply)), epoch);
    }

    /** The counters; empty when the product was never loaded here. */
    @SuppressWarnings("unchecked")
    public Optional<StockCount> count(String productId) {
        return StockCount.of((List<String>) shard.ask(new CommandArguments(Command.HMGET)
                .key(RedisKeys.stock(productId))
                .addObjects((Object[]) StockCount.FIELDS)));
    }

    /**
     * Units that buyers may take in this epoch; empty: none may be taken at present, and how many
     * there will be nobody knows.
     */
    public OptionalLong left(String productId, int epoch) {
        List<?> reply = (List<?>) shard.run(
                LEFT, List.of(RedisKeys.stock(productId)), List.of(Integer.toString(epoch)));
        return reply.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(word(reply)));
    }

    /** Entries of the outbox that are not handed over. */
    public long waiting(String productId) {
        return (long)
                shard.ask(new CommandArguments(Command.XLEN).key(RedisKeys.outbox(productId)));
    }

    /**
     * Deletes all there is about a product; false, and nothing is, while an outbox entry waits or
     * reservations were made other than the {@code counted} ones.
     */
    public boolean remove(String productId, long counted) {
        List<String> keys = new ArrayList<>(keys(productId));
        keys.add(RedisKeys.parked(productId));
        keys.add(RedisKeys.ended(productId));
        return word(shard.run(REMOVE, keys, List.of(Long.toString(counted)))).equals("REMOVED");
    }

    /** All there is about a product; under load that does not pause, not of one instant. */
    public Books books(String productId) {
        return new BooksReader(shard, productId).read();
    }

    /** The reservation this user holds here. */
    public Optional<String> holder(String productId, String userId) {
        return Optional.ofNullable((String) shard.ask(new CommandArguments(Command.HGET)
                .key(RedisKeys.buyers(productId))
                .add(userId)));
    }

    /** The reservation as it is kept here; empty when this shard never heard of it. */
    public Optional<Books.Kept> reservation(String productId, String reservationId) {
        Object packed = shard.ask(new CommandArguments(Command.HGET)
                .key(RedisKeys.reservations(productId))
                .add(reservationId));
        return Optional.ofNullable((String) packed).map(Books.Kept::of);
    }

    /** What an entry of this shard's outbox tells; IllegalArgumentException when it is damaged. */
    public Reservation reservation(OutboxEntry entry) {
        Map<String, String> fields = entry.fields();
        return new Reservation(
                fields.getOrDefault(RESERVATION_ID, ""),
                entry.productId(),
                fields.getOrDefault("user_id", ""),
                number(fields, "quantity", Integer::parseInt),
                shard.index(),
                number(fields, "epoch", Integer::parseInt),
                number(fields, "seq", Long::parseLong),
                number(fields, "reserved_at_ms", Long::parseLong));
    }

    /** Deletes entries (at least one, the oldest first), but no other that has the id of one. */
    public void handedOver(String productId, List<OutboxEntry> entries) {
        shard.delete(productId, entries, RESERVATION_ID);
    }

    private static <N> N number(
            Map<String, String> fields, String field, Function<String, N> parse) {
        try {
            return parse.apply(fields.get(field));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bad " + field + ": " + fields.get(field), e);
        }
    }

    private static Script script(String name) {
        return Script.of(QuantityStock.class, "/quantity/" + name + ".lua");
    }

    private static List<String> keys(String productId) {
        return List.of(
                RedisKeys.stock(productId),
                RedisKeys.buyers(productId),
                RedisKeys.reservations(productId),
                RedisKeys.outbox(productId));
    }

    private static <T> T waitFor(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw e;
        }
    }

    private static String word(Object reply) {
        return (String) ((List<?>) reply).get(0);
    }

    @Override
    public String toString() {
        return shard.toString();
    }
}
