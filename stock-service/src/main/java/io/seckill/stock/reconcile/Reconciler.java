package io.seckill.stock.reconcile;

import io.seckill.contracts.Json;
import io.seckill.contracts.RedisKeys;
import java.time.Clock;
import java.util.OptionalLong;
import org.springframework.stereotype.Component;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Compares shards with orders, both ways, a bounded page each turn, and mends what a loss left.
 *
 * <p>It judges only where the ledger is OPEN, the shard's epoch is the ledger's and its gate is
 * open; and nothing of the last {@link #SETTLED_MS}, in which all that is on its way arrives. What
 * order-service has not come to yet by its own word is not late either. Each finding is read a
 * second time in the order that tells a loss from a race, and every repair is a conditional
 * statement or a script that may be repeated.
 *
 * <p>Two instances each walk through everything: of two who find the same one repairs and counts.
 * An outbox entry may be written twice when a relay hands the first over in between, which costs a
 * repeated message.
 */
@Component
public final class Reconciler {

    /** Reservations, and orders, that are read in a turn. */
    static final int PAGE = 400;

    static final long SETTLED_MS = 30_000;

    private final HeldWalk held;
    private final OrderWalk orders;
    private final RedisClient control;
    private final Clock clock;
    private final Progress progress = new Progress();

    Reconciler(HeldWalk held, OrderWalk orders, RedisClient control, Clock clock) {
        this.held = held;
        this.orders = orders;
        this.control = control;
        this.clock = clock;
    }

    /**
     * Throws when the database is away. Without the control Redis, or a word of order-service in
     * it, only reservations are not judged that are newer than the last such word.
     */
    public void turn() {
        long nowMs = clock.millis();
        long metUntilMs = progress.metUntil(nowMs, backlog());
        held.turn(metUntilMs - SETTLED_MS, nowMs);
        orders.turn(nowMs);
    }

    private record Backlog(long estimatedWaitMs, long atMs) {}

    /** How long order-service takes to come to what waits now; empty: nobody can tell. */
    private OptionalLong backlog() {
        try {
            String text = control.get(RedisKeys.BACKLOG);
            return text == null
                    ? OptionalLong.empty()
                    : OptionalLong.of(Json.read(text, Backlog.class).estimatedWaitMs());
        } catch (JedisException | IllegalArgumentException e) {
            return OptionalLong.empty();
        }
    }
}
