package io.seckill.stock.recovery;

import io.seckill.common.CrashPoint;
import io.seckill.common.RefusedException;
import io.seckill.contracts.Refusal;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.SoldOutWord;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.Unavailable;
import io.seckill.stock.recovery.ChangeMapper.Change;
import io.seckill.stock.recovery.ChangeMapper.Retired;
import io.seckill.stock.recovery.ChangeMapper.Row;
import io.seckill.stock.sale.SaleMapper;
import io.seckill.stock.sale.Split;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Gives up a shard that will never come back: what is sold there stays sold, the rest goes to the
 * sale's other shards.
 *
 * <p>One transaction per product takes the units from the one row of the ledger, gives them to the
 * others and writes a {@code stock_change} for each: at every commit the ledger's rows are the
 * stock. The shards get theirs afterwards, each change once by its id; one that is rebuilt
 * meanwhile has counted it, for it is rebuilt from the ledger. Orders of the retired shard that are
 * closed free their units: the background turn moves them in the same way. All of it may be
 * repeated, by callers and by two instances.
 */
@Component
public final class Retirement {

    private static final Logger LOG = LoggerFactory.getLogger(Retirement.class);
    private static final int MOST = 1_000; // changes of a shard in one turn
    private static final int PAGE = 256; // questions under way at once

    private final SaleMapper sales;
    private final ChangeMapper mapper;
    private final TransactionTemplate transaction;
    private final QuantityStocks shards;
    private final SoldOutWord word;
    private final Clock clock;
    private final Apart apart = new Apart(LOG);

    Retirement(
            SaleMapper sales,
            ChangeMapper mapper,
            TransactionTemplate transaction,
            QuantityStocks shards,
            SoldOutWord word,
            Clock clock) {
        this.sales = sales;
        this.mapper = mapper;
        this.transaction = transaction;
        this.shards = shards;
        this.word = word;
        this.clock = clock;
    }

    /**
     * How many units went to other shards; 0 when it was retired before. BAD_REQUEST when no sale
     * lies on it, or nothing else would be left of one; BUSY without the database.
     */
    public long retire(int shard) {
        return Unavailable.named(() -> {
            if (mapper.parts(shard) == 0) {
                throw refused("no sale lies on shard " + shard);
            }
            mapper.lone(shard).stream().findFirst().ifPresent(productId -> {
                throw lone(shard, productId);
            });
            long moved = 0;
            for (String productId : mapper.productsOn(shard)) {
                moved += move(productId, shard);
                close(productId, shard);
                CrashPoint.RETIREMENT_CLOSED.reached(productId);
            }
            mapper.giveUpRemoving(shard);
            LOG.warn("shard {} is retired: {} units went to other shards", shard, moved);
            return moved;
        });
    }

    /** Shards that were given up, by number. */
    public List<Integer> retired() {
        return Unavailable.named(sales::retired);
    }

    /**
     * The background turn: units of closed orders, then what the shards have yet to get, then gates
     * that are open and must not be. A part that fails keeps no other from its turn.
     */
    public void turn() {
        for (Retired freed : mapper.freed()) {
            apart.did(freed + ", freed units", () -> move(freed.productId(), freed.shard()));
        }
        bringUnits();
        closeOpened();
    }

    private void bringUnits() {
        Set<String> waits = new HashSet<>();
        for (Change change : waiting()) {
            boolean isLater = waits.contains(change.place()); // it must not overtake those before
            if (!isLater && !apart.did(change + ", units for it", () -> bring(change, waits))) {
                waits.add(change.place());
            }
        }
    }

    private void bring(Change change, Set<String> waits) {
        if (isDone(change)) {
            CrashPoint.CHANGE_TOPPED_UP.reached(change.productId());
            mapper.done(change.id());
        } else {
            waits.add(change.place());
        }
    }

    /** Of each shard, so that one that is away keeps no other's from it. */
    private List<Change> waiting() {
        return shards.all().stream()
                .flatMap(shard -> mapper.waiting(shard.index(), MOST).stream())
                .toList();
    }

    private boolean isDone(Change change) {
        if (change.isRetired()) {
            return true; // its units have gone on to others
        }
        try {
            boolean isThere = recovery(change.shard())
                    .topUp(change.productId(), change.id(), change.epoch(), change.units());
            if (isThere) {
                tellEdges(change.productId());
            }
            return isThere;
        } catch (ShardDownException | ShardUnknownException e) {
            return false;
        }
    }

    /** Should this fail, the next turn of the catalog finds the units. */
    private void tellEdges(String productId) {
        try {
            word.unitsBack(productId);
        } catch (JedisException e) {
            LOG.debug("that {} has units is left to the catalog", productId, e);
        }
    }

    private QuantityRecovery recovery(int shard) {
        return new QuantityRecovery(shards.get(shard).shard());
    }

    private long move(String productId, int shard) {
        Long moved = transaction.execute(status -> {
            List<Row> rows = mapper.lock(productId);
            List<Row> others = rows.stream()
                    .filter(row -> row.shard() != shard && !row.isRetired() && row.isLoaded())
                    .toList();
            return rows.stream()
                    .filter(row -> row.shard() == shard)
                    .mapToLong(row -> move(productId, row, others))
                    .sum();
        });
        CrashPoint.RETIREMENT_MOVED.reached(productId);
        return moved == null ? 0 : moved;
    }

    private long move(String productId, Row from, List<Row> others) {
        if (others.isEmpty()) {
            throw lone(from.shard(), productId);
        }
        long nowMs = clock.millis();
        int epoch = from.isRetired() ? from.epoch() : from.epoch() + 1;
        mapper.retire(productId, from.shard(), epoch, nowMs);
        if (!from.isRetired()) {
            mapper.insertOpening(productId, from.shard(), epoch, nowMs);
        }
        long freed = from.allocated() - from.sold();
        List<Long> parts = Split.evenly(freed, others.size());
        for (int i = 0; i < parts.size(); i++) {
            Row to = others.get(i);
            if (parts.get(i) > 0) {
                mapper.add(productId, to.shard(), parts.get(i));
                mapper.insert(
                        productId,
                        to.shard(),
                        parts.get(i),
                        to.epoch(),
                        "shard " + from.shard() + " retired",
                        nowMs);
            }
        }
        CrashPoint.RETIREMENT_MOVING.reached(productId);
        return freed;
    }

    /** In case it is there after all: a kindness to buyers, whose reservations would be LOST. */
    private void close(String productId, int shard) {
        try {
            if (shard < shards.all().size()) {
                recovery(shard).close(productId);
            }
        } catch (ShardDownException | ShardUnknownException e) {
            LOG.info("shard {} does not answer, as is expected of one that is retired", shard);
        }
    }

    /**
     * A shard that did not answer when it was given up goes on where it was, and the last script of
     * a recovery may reach it later than its end.
     */
    private void closeOpened() {
        List<Retired> all = mapper.retired(shards.all().size());
        for (int from = 0; from < all.size(); from += PAGE) {
            List<Retired> page = all.subList(from, Math.min(all.size(), from + PAGE));
            List<CompletableFuture<Boolean>> open =
                    page.stream().map(this::isOpen).toList();
            for (int i = 0; i < page.size(); i++) {
                if (open.get(i).join()) {
                    Retired part = page.get(i);
                    LOG.warn("{} is retired and was open; it is closed", part);
                    apart.did(part + ", gate", () -> close(part.productId(), part.shard()));
                }
            }
        }
    }

    private CompletableFuture<Boolean> isOpen(Retired part) {
        return recovery(part.shard())
                .stateAsync(part.productId())
                .handle((state, failure) ->
                        failure == null && state.identity().equals(state.openFor()));
    }

    private static RefusedException lone(int shard, String productId) {
        return refused("shard " + shard + " is the last that product " + productId
                + " has; a sale cannot go on without any");
    }

    private static RefusedException refused(String why) {
        return new RefusedException(Refusal.BAD_REQUEST, why);
    }
}
