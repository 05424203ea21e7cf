package io.seckill.quantity;

import io.seckill.contracts.RedisKeys;
import io.seckill.shard.Script;
import io.seckill.shard.Shard;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

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

    private final Shard shard;

    public HeldUnits(QuantityStock stock) {
        shard = stock.shard();
    }

    /**
     * A page of reservations that hold units.
     *
     * @param next the cursor of the next page; "0": this was the last
     */
    public record Page(int epoch, long init, String next, List<String> ids) {}

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
                        reply.subList(3, reply.size())));
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
     * Writes the outbox entry of a reservation again; false: it waits still, the reservation holds
     * nothing, or the stock is in another epoch or its gate closed.
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
