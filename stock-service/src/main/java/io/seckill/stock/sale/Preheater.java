package io.seckill.stock.sale;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Bounds;
import io.seckill.contracts.Refusal;
import io.seckill.quantity.LoadOutcome;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.StockCount;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.Unavailable;
import io.seckill.stock.relay.CatalogRelay;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Gives every shard its allocation of a sale, each once, then opens the sale.
 *
 * <p>The ledger row is locked while its shard is loaded, so two calls, or two instances, never load
 * the same allocation. A crash between the load and the mark is safe: the sale is not open, nothing
 * was taken, and the shard answers ALREADY_LOADED to the next call. What is marked as loaded is
 * never loaded again: a shard that lost its units stays empty, because nobody knows who holds them.
 */
@Component
public final class Preheater {

    private static final Logger LOG = LoggerFactory.getLogger(Preheater.class);

    private final SaleMapper mapper;
    private final TransactionTemplate transaction;
    private final QuantityStocks shards;
    private final CatalogRelay relay;
    private final Clock clock;

    Preheater(
            SaleMapper mapper,
            TransactionTemplate transaction,
            QuantityStocks shards,
            CatalogRelay relay,
            Clock clock) {
        this.mapper = mapper;
        this.transaction = transaction;
        this.shards = shards;
        this.relay = relay;
        this.clock = clock;
    }

    /**
     * The background turn: names the sales that were opened to the relay, goes on with the others.
     * One that cannot be opened does not keep the next from it.
     */
    public void resume() {
        List<Sale> sales = mapper.last(Bounds.SALES);
        relay.watch(sales.stream().filter(sale -> !sale.isPreparing()).toList());
        RuntimeException failure = null;
        for (Sale sale : sales.stream().filter(Sale::isPreparing).toList()) {
            try {
                open(sale);
                LOG.info("the sale of {} is open", sale.productId());
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * The sale, open; BUSY when a shard is away, after all others have got their allocations, and
     * at once where one is set so that it could forget units, or keeps something else under a key.
     */
    Sale open(Sale sale) {
        if (!sale.isPreparing()) {
            return sale;
        }
        OptionalInt away = sale.placements().stream()
                .map(placement -> sale.shard(placement, shards))
                .filter(shard -> !isLoaded(sale, shard))
                .mapToInt(QuantityStock::index)
                .reduce(Math::min);
        if (away.isPresent()) {
            throw Unavailable.shard(away.getAsInt());
        }
        mapper.open(sale.productId());
        return mapper.find(sale.productId()).orElseThrow();
    }

    /** Loads it if nobody has; a silent shard may have it, and says so when asked again. */
    private boolean isLoaded(Sale sale, QuantityStock shard) {
        try {
            transaction.executeWithoutResult(
                    status -> mapper.lockUnloaded(sale.productId(), shard.index())
                            .ifPresent(allocation -> load(sale, allocation, shard)));
            return true;
        } catch (ShardDownException | ShardUnknownException e) {
            LOG.info("preheating {}: {}", sale.productId(), e.getMessage());
            if (e.getCause() instanceof JedisDataException said) {
                throw Unavailable.shard(shard.index(), String.valueOf(said.getMessage()));
            }
            return false;
        }
    }

    private void load(Sale sale, Allocation allocation, QuantityStock shard) {
        shard.shard().fault().ifPresent(why -> {
            throw Unavailable.shard(shard.index(), why);
        });
        LoadOutcome outcome =
                shard.load(sale.productId(), allocation.epoch(), allocation.allocated());
        if (outcome != LoadOutcome.LOADED) {
            refuseForeignUnits(sale, allocation, shard);
        }
        mapper.markLoaded(sale.productId(), shard.index(), clock.millis());
    }

    /** Units this sale did not put there are left of a database that is gone: never sold here. */
    private static void refuseForeignUnits(Sale sale, Allocation allocation, QuantityStock shard) {
        StockCount fresh = new StockCount(
                allocation.allocated(), allocation.allocated(), 0, 0, 0, allocation.epoch(), 0);
        if (!shard.count(sale.productId()).equals(Optional.of(fresh))) {
            throw new RefusedException(
                    Refusal.SALE_CONFLICT,
                    "Shard " + shard.index()
                            + " holds units of an earlier sale of " + sale.productId()
                            + "; use another product id");
        }
    }
}
