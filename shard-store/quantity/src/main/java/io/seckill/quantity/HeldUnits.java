package io.seckill.quantity;

import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import io.seckill.shard.Shard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * What buyers hold in one shard, for those who compare it with the orders.
 *
 * <p>Every method answers or throws as {@link Shard} does; nothing is told of a stock whose gate is
 * closed, for nobody has verified it.
 */
public final class HeldUnits {

    private static final Script HELD = script("held");
    private static final Script UNHELD = script("unheld");
    private static final Script TELL_AGAIN = script("tell_again");

    private static final int LOOK = 100; // entries; takes the shard a tenth of a millisecond
    private static final int MAX_LOOK = 1_000;

    private final Shard shard;

    public HeldUnits(QuantityStock stock) {
        shard = stock.shard();
    }

    /**
     * A page of reservations that hold units.
     *
     * @param next the cursor of the next page; "0": this was the last
     * @param looked how many reservations were looked at
     */
    public record Page(int epoch, long init, String next, int looked, List<String> ids) {}

    /**
     * About {@code count} reservations from a cursor on ("0": the first), of which those are told
     * that hold units and were made before a time; empty: the gate is closed.
     */
    public Optional<Page> page(String productId, String cursor, int count, long beforeMs) {
        List<String> reply = run(
                HELD, productId, List.of(cursor, Integer.toString(count), Long.toString(beforeMs)));
        return reply.isEmpty()
                ? Optional.empty()
                : Optional.of(new Page(
                        Integer.parseInt(reply.get(0)),
                        Long.parseLong(reply.get(1)),
                        reply.get(2),
                        Integer.parseInt(reply.get(3)),
                        reply.subList(4, reply.size())));
    }

    /**
     * Which of these (at least one, and no more than a page) hold no units, when the stock is in
     * this epoch; empty: it is in another, or the gate is closed.
     */
    public Optional<List<String>> unheld(String productId, int epoch, Collection<String> ids) {
        List<String> reply = run(UNHELD, productId, new ArrayList<>(ids));
        return reply.isEmpty() || Integer.parseInt(reply.get(0)) != epoch
                ? Optional.empty()
                : Optional.of(reply.subList(1, reply.size()));
    }

    /**
     * Reservations whose outbox entries wait, read a page at a time; empty: more wait than are
     * looked through.
     */
    public Optional<Set<String>> waiting(String productId) {
        Set<String> waiting = new HashSet<>();
        String from = "-";
        for (int looked = 0; looked < MAX_LOOK; looked += LOOK) {
            List<List<?>> entries = outbox(productId, from);
            entries.forEach(entry -> waiting.add(String.valueOf(((List<?>) entry.get(1)).get(1))));
            if (entries.size() < LOOK) {
                return Optional.of(waiting);
            }
            from = "(" + entries.get(LOOK - 1).get(0);
        }
        return Optional.empty();
    }

    @SuppressWarnings("unchecked")
    private List<List<?>> outbox(String productId, String from) {
        return (List<List<?>>) shard.ask(new CommandArguments(Command.XRANGE)
                .key(RedisKeys.outbox(productId))
                .add(from)
                .add("+")
                .add("COUNT")
                .add(LOOK));
    }

    /**
     * Writes the outbox entry of a reservation again, of which {@link #waiting} knew nothing; false:
     * it was written since, the reservation holds nothing, or the stock is in another epoch or its
     * gate closed.
     */
    public boolean tellAgain(String productId, int epoch, String reservationId) {
        return run(TELL_AGAIN, productId, List.of(reservationId, Integer.toString(epoch)))
                .equals(List.of("WRITTEN"));
    }

    @SuppressWarnings("unchecked")
    private List<String> run(Script script, String productId, List<String> args) {
        List<String> keys = List.of(
                RedisKeys.stock(productId),
                RedisKeys.reservations(productId),
                RedisKeys.outbox(productId));
        return (List<String>) shard.run(script, keys, args);
    }

    private static Script script(String name) {
        return Script.of(HeldUnits.class, "/quantity/" + name + ".lua");
    }
}
