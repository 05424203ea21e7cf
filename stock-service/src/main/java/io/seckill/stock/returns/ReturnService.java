package io.seckill.stock.returns;

import io.seckill.common.Counters;
import io.seckill.contracts.Json;
import io.seckill.contracts.StockReturn;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.ReturnOutcome;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleMapper;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Gives units back to the shard they came from, each reservation once.
 *
 * <p>The shard's script decides: it knows the reservation and remembers that it gave it back. The
 * row in {@code stock_return} is written after the shard's answer. A crash in between repeats the
 * script, which changes nothing; a duplicate meets the row.
 *
 * <p>No message waits for a shard, or one dead shard would stop the returns of all. When it is
 * away, came up empty, or lives in another epoch and does not know the reservation, the row is
 * WAITING and takes the message's place: {@link #retry} asks again until there is a final outcome.
 * Two may ask for the same row at once; the script answers both, and the row keeps the first final
 * word.
 *
 * <p>A return in hand is counted when it has ended; what a failing database cuts off comes again
 * and is counted then.
 */
@Component
public final class ReturnService {

    /** Waiting returns a shard is asked for in one round. */
    static final int MAX_PER_ROUND = 100;

    private static final Logger LOG = LoggerFactory.getLogger(ReturnService.class);

    private final SaleMapper sales;
    private final ReturnMapper returns;
    private final QuantityStocks shards;
    private final Counters counters;
    private final Clock clock;
    private final Set<Integer> waitedFor = ConcurrentHashMap.newKeySet(); // to log once; shards

    ReturnService(
            SaleMapper sales,
            ReturnMapper returns,
            QuantityStocks shards,
            Counters counters,
            Clock clock) {
        this.sales = sales;
        this.returns = returns;
        this.shards = shards;
        this.counters = counters;
        this.clock = clock;
    }

    /** How a return in hand ended; each has its counter, {@code seckill_…_total}. */
    private enum End {
        RETURNED,
        BURNED,
        CALLED_OFF,
        WAITING,
        REPEATED,
        DROPPED,
        PARKED
    }

    /**
     * Each is final, WAITING, dropped or parked afterwards; throws only when the database is
     * away.
     */
    public void settle(List<StockReturn> messages) {
        Set<Integer> away = new HashSet<>();
        for (StockReturn r : messages) {
            count("message", returns.isKnown(r.reservationId()) ? End.REPEATED : settle(r, away));
        }
    }

    private End settle(StockReturn r, Set<Integer> away) {
        Optional<Sale> sale = sales.find(r.productId());
        if (sale.isEmpty() && sales.wasRemoved(r.productId())) {
            return End.DROPPED;
        }
        Optional<String> forged = forged(r, sale);
        if (forged.isPresent()) {
            keep(StockReturn.TOPIC, r.reservationId(), Json.write(r), forged.get());
            return End.PARKED;
        }
        if (away.contains(r.shard()) || r.shard() >= shards.all().size()) {
            return await(r, "it is away or not in seckill.shards");
        }
        Optional<End> end = ask(r);
        if (end.isEmpty()) {
            away.add(r.shard());
        }
        return end.orElse(End.WAITING);
    }

    /** Why no order of ours can have sent it. */
    static Optional<String> forged(StockReturn r, Optional<Sale> sale) {
        if (sale.isEmpty()) {
            return Optional.of("there is no sale of " + r.productId());
        }
        boolean isPlaced =
                sale.get().placements().stream().anyMatch(placed -> placed.shard() == r.shard());
        return isPlaced
                ? Optional.empty()
                : Optional.of("the sale of " + r.productId() + " has no shard " + r.shard());
    }

    /** One round over what waits; true when a shard has settled its fill and may have more. */
    public boolean retry() {
        boolean more = false;
        for (QuantityStock shard : shards.all()) {
            more |= retry(shard.index());
        }
        return more;
    }

    /**
     * A shard that is away ends its round; the return it was asked for goes to the end of the line,
     * and so does one whose product is not loaded: neither keeps the others from their turn.
     */
    private boolean retry(int shard) {
        List<StockReturn> line = returns.waiting(shard, MAX_PER_ROUND);
        int settled = 0;
        for (StockReturn r : line) {
            Optional<End> end = ask(r);
            count("row", end.orElse(End.WAITING));
            if (end.isEmpty()) {
                return false;
            }
            settled += end.get() == End.WAITING ? 0 : 1;
        }
        boolean full = line.size() == MAX_PER_ROUND;
        if (settled == line.size() && !full && waitedFor.remove(shard)) {
            LOG.info("shard {}: no return waits any more", shard);
        }
        return full && settled == line.size();
    }

    /** What the shard made of it; empty when it is away or did not answer. */
    private Optional<End> ask(StockReturn r) {
        try {
            return Optional.of(keep(r, shards.get(r.shard()).giveBack(r)));
        } catch (ShardDownException | ShardUnknownException e) {
            await(r, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private End keep(StockReturn r, ReturnOutcome outcome) {
        return switch (outcome) {
            case RETURNED -> end(r, outcome, End.RETURNED);
            case BURNED -> end(r, outcome, End.BURNED);
            case TOMBSTONED -> end(r, outcome, End.CALLED_OFF);
            case ALREADY_DONE -> end(r, outcome, End.REPEATED);
            case NOT_LOADED -> await(r, "it has no stock of " + r.productId() + "; restore it");
            case OTHER_EPOCH ->
                await(
                        r,
                        "it lives in another epoch of " + r.productId()
                                + " and does not know the reservation");
        };
    }

    private End end(StockReturn r, ReturnOutcome outcome, End end) {
        returns.put(r, outcome.name(), clock.millis());
        return end;
    }

    private End await(StockReturn r, String why) {
        returns.put(r, End.WAITING.name(), clock.millis());
        if (waitedFor.add(r.shard())) {
            LOG.warn("returns wait for shard {}: {}", r.shard(), why);
        }
        return End.WAITING;
    }

    /** Puts a message aside that no return can be read from. */
    public void park(String topic, String messageId, String body, String reason) {
        keep(topic, messageId, body, reason);
        count("message", End.PARKED);
    }

    private void keep(String topic, String messageId, String body, String reason) {
        returns.park(topic, messageId, body, reason, clock.millis());
    }

    /** Throws when the database is away. */
    public void checkReady() {
        returns.ping();
    }

    private void count(String from, End end) {
        counters.count("seckill_returns_total", from);
        counters.count("seckill_" + end.name().toLowerCase(Locale.ROOT) + "_total");
    }
}
