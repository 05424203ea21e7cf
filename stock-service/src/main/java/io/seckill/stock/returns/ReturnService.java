package io.seckill.stock.returns;

import io.seckill.contracts.Json;
import io.seckill.contracts.StockReturn;
import io.seckill.shard.ReturnOutcome;
import io.seckill.shard.Shard;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.shard.Shards;
import io.seckill.stock.sale.Sale;
import io.seckill.stock.sale.SaleMapper;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/**
 * Gives units back to the shard they came from, each reservation once.
 *
 * <p>The shard's script decides: it knows the reservation and remembers that it gave it back. The
 * row in {@code stock_return} is written after the shard's answer. A crash in between repeats the
 * script, which changes nothing; a duplicate meets the row.
 *
 * <p>No message waits for a shard, or one dead shard would stop the returns of all. When it is
 * away, came up empty, or lives in another epoch, the row is WAITING and takes the message's place: {@link #retry} asks
 * again until there is a final outcome. Two may ask for the same row at once; the script answers
 * both, and the row keeps the first final word.
 */
@Service
public final class ReturnService {

    /** Waiting returns a shard is asked for in one round. */
    static final int MAX_PER_ROUND = 100;

    private static final Logger LOG = LoggerFactory.getLogger(ReturnService.class);
    private static final String WAITING = "WAITING";

    /** Answers of a shard that settle nothing: it is asked again. */
    private static final Map<ReturnOutcome, String> WHY_IT_WAITS = Map.of(
            ReturnOutcome.NOT_LOADED, "it has no stock; restore it",
            ReturnOutcome.OTHER_EPOCH, "it lives in another epoch and does not know a reservation");

    private final SaleMapper sales;
    private final ReturnMapper returns;
    private final Shards shards;
    private final Clock clock;
    private final Set<Integer> waitedFor = ConcurrentHashMap.newKeySet(); // to log once; shards

    ReturnService(SaleMapper sales, ReturnMapper returns, Shards shards, Clock clock) {
        this.sales = sales;
        this.returns = returns;
        this.shards = shards;
        this.clock = clock;
    }

    /** Each is final, WAITING or parked afterwards; throws only when the database is away. */
    public void settle(List<StockReturn> messages) {
        Set<Integer> away = new HashSet<>();
        for (StockReturn r : messages) {
            if (!returns.isKnown(r.reservationId())) {
                settle(r, away);
            }
        }
    }

    private void settle(StockReturn r, Set<Integer> away) {
        Optional<String> forged = forged(r, sales.find(r.productId()));
        if (forged.isPresent()) {
            park(r, forged.get());
        } else if (away.contains(r.shard()) || r.shard() >= shards.all().size()) {
            await(r, "it is away or not in seckill.shards");
        } else if (ask(r).isEmpty()) {
            away.add(r.shard());
        }
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
        for (Shard shard : shards.all()) {
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
            Optional<ReturnOutcome> outcome = ask(r);
            if (outcome.isEmpty()) {
                return false;
            }
            settled += WHY_IT_WAITS.containsKey(outcome.get()) ? 0 : 1;
        }
        boolean full = line.size() == MAX_PER_ROUND;
        if (settled == line.size() && !full && waitedFor.remove(shard)) {
            LOG.info("shard {}: no return waits any more", shard);
        }
        return full && settled == line.size();
    }

    /** What the shard said; empty when it is away or did not answer. */
    private Optional<ReturnOutcome> ask(StockReturn r) {
        try {
            ReturnOutcome outcome = shards.get(r.shard()).giveBack(r);
            keep(r, outcome);
            return Optional.of(outcome);
        } catch (ShardDownException | ShardUnknownException e) {
            await(r, e.getMessage());
            return Optional.empty();
        }
    }

    private void keep(StockReturn r, ReturnOutcome outcome) {
        if (WHY_IT_WAITS.containsKey(outcome)) {
            await(r, "product %s: %s".formatted(r.productId(), WHY_IT_WAITS.get(outcome)));
            return;
        }
        returns.put(r, outcome.name(), clock.millis());
    }

    private void await(StockReturn r, String why) {
        returns.put(r, WAITING, clock.millis());
        if (waitedFor.add(r.shard())) {
            LOG.warn("returns wait for shard {}: {}", r.shard(), why);
        }
    }

    private void park(StockReturn r, String reason) {
        park(StockReturn.TOPIC, r.reservationId(), Json.write(r), reason);
    }

    /** Keeps a message no unit can come back by, for a human. */
    public void park(String topic, String messageId, String body, String reason) {
        returns.park(topic, messageId, body, reason, clock.millis());
    }
}
