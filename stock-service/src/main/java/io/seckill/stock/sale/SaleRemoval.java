package io.seckill.stock.sale;

import io.seckill.common.RefusedException;
import io.seckill.common.message.Backlog;
import io.seckill.contracts.Refusal;
import io.seckill.contracts.Reservation;
import io.seckill.contracts.StockReturn;
import io.seckill.quantity.QuantityRecovery;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.quantity.ShardState;
import io.seckill.quantity.StockCount;
import io.seckill.shard.ShardDownException;
import io.seckill.shard.ShardUnknownException;
import io.seckill.stock.Unavailable;
import io.seckill.stock.relay.CatalogRelay;
import io.seckill.stock.sale.RemovalMapper.Landed;
import io.seckill.stock.sale.RemovalMapper.Left;
import io.seckill.stock.sale.RemovalMapper.Removed;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Removes a synthetic sale with all its traces.
 *
 * <p>Drain: the sale is REMOVING, which ends it at every hop; while anything of it is on its way
 * the answer is BUSY. Cut: each shard deletes its part by one script, which does nothing once there
 * is a reservation that was not counted; then one transaction takes sale and ledger away and leaves
 * a row in {@code removed_sale}. From that commit on every message of the sale is late, and whoever
 * gets it drops it. Wipe: what nobody finds any more, in the control Redis and page by page in the
 * tables.
 *
 * <p>Every step may be repeated, by callers, by {@link #resume} and by another instance at the same
 * time, and the next call goes on where the last stopped: at the sale's row while there is one,
 * then at that of {@code removed_sale}. A booking or a return that is under way during the cut
 * holds a lock on the ledger or the sale, so the cut waits for it, or it finds nothing and writes
 * nothing.
 *
 * <p>What is lost is not on its way: a reservation whose row is missing, or a closed order whose
 * return is, is waited for only as long as RocketMQ has any message that may be it.
 */
@Component
public final class SaleRemoval {

    /**
     * For so long an instance may publish a sale whose removal it has not read of, or go on with a
     * recovery that it had decided.
     */
    private static final Duration UNAWARE = Duration.ofMinutes(1);

    private static final Duration CALL = Duration.ofSeconds(5); // then BUSY, and called again
    private static final int PAGE = 1_000; // rows of orders in one transaction

    private final SaleMapper sales;
    private final RemovalMapper mapper;
    private final TransactionTemplate transaction;
    private final QuantityStocks shards;
    private final CatalogRelay relay;
    private final Backlog backlog;
    private final Clock clock;

    SaleRemoval(
            SaleMapper sales,
            RemovalMapper mapper,
            PlatformTransactionManager transactions,
            QuantityStocks shards,
            CatalogRelay relay,
            Backlog backlog,
            Clock clock) {
        this.sales = sales;
        this.mapper = mapper;
        this.shards = shards;
        this.relay = relay;
        this.backlog = backlog;
        this.clock = clock;
        transaction = new TransactionTemplate(transactions);
        // No locks on gaps: they would keep buyers of real sales from their rows.
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /**
     * Nothing of it is left afterwards, now or since an earlier call. NO_SUCH_SALE, NOT_SYNTHETIC;
     * BUSY: it has ended and goes as soon as it can, call again to know when.
     */
    public void remove(String productId) {
        Unavailable.named(() -> {
            sales.find(productId).ifPresent(sale -> cut(begun(sale)));
            wipe(mapper.removed(productId)
                    .orElseThrow(() -> new RefusedException(Refusal.NO_SUCH_SALE)));
            return productId;
        });
    }

    /** The background turn: goes on with what callers have begun. */
    public void resume() {
        each(mapper.removing(), productId -> sales.find(productId).ifPresent(this::cut));
        long nowMs = clock.millis();
        each(mapper.unfinished(nowMs - UNAWARE.toMillis()), this::wipe);
        mapper.forget(nowMs - CatalogRelay.REMEMBERED.toMillis() - UNAWARE.toMillis());
    }

    /** One that fails does not keep the next from its turn; BUSY is no failure. */
    private static <T> void each(List<T> all, Consumer<T> step) {
        RuntimeException failure = null;
        for (T one : all) {
            try {
                step.accept(one);
            } catch (RuntimeException e) {
                failure = e instanceof RefusedException ? failure : e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The sale, ended; buyers hear of it within the edge's quarter of a second. */
    private Sale begun(Sale sale) {
        if (!sale.synthetic()) {
            throw new RefusedException(Refusal.NOT_SYNTHETIC);
        }
        long nowMs = clock.millis();
        transaction.executeWithoutResult(status -> {
            mapper.begin(sale.productId(), nowMs);
            mapper.stopLoading(sale.productId(), nowMs);
        });
        Sale ended = sales.find(sale.productId()).orElse(sale);
        relay.publish(List.of(ended));
        return ended;
    }

    private void cut(Sale sale) {
        String productId = sale.productId();
        List<Part> parts = sale.placementsInUse().stream()
                .map(placement -> Part.of(sale.shard(placement, shards), productId))
                .toList();
        refuseWhileOnItsWay(productId, parts);
        for (Part part : parts) {
            if (!part.remove(productId)) {
                throw busy(productId, "a reservation was just made");
            }
        }
        transaction.executeWithoutResult(status -> {
            mapper.deleteLedger(productId);
            mapper.deleteOpenings(productId);
            mapper.deleteChanges(productId);
            if (mapper.deleteSale(productId)) {
                mapper.remember(productId, clock.millis());
            }
            mapper.deleteLimits(productId); // none is written once there is no sale
        });
    }

    /**
     * Read along a reservation's way (shards, RocketMQ, database), so that none is missed that
     * moves meanwhile.
     */
    private void refuseWhileOnItsWay(String productId, List<Part> parts) {
        OptionalLong reservationMessages = backlog.of(Reservation.TOPIC, Reservation.GROUP);
        OptionalLong returnMessages = backlog.of(StockReturn.TOPIC, StockReturn.GROUP);
        List<Landed> landed = mapper.landed(productId);
        long waiting = parts.stream().mapToLong(Part::waiting).sum();
        long missing = parts.stream().mapToLong(part -> part.missing(landed)).sum();
        long unsent = mapper.unsent(productId);
        long returns = mapper.unseenReturns(productId);
        long reservations = Math.max(waiting, mayCome(missing, reservationMessages));
        long unseen = unsent > 0 ? returns : mayCome(returns, returnMessages);
        if (reservations + unsent + unseen > 0) {
            throw busy(
                    productId,
                    reservations + " reservations, " + unsent + " messages and " + unseen
                            + " returns are on their way");
        }
    }

    /** None of the missing can come when nothing is queued; unknown counts as queued. */
    private static long mayCome(long missing, OptionalLong queued) {
        return queued.orElse(1) > 0 ? missing : 0;
    }

    private void wipe(Removed removed) {
        String productId = removed.productId();
        relay.remove(productId, removed.removedAtMs());
        shards.all().forEach(shard -> wipe(shard, productId));
        if (removed.wipedAtMs() != null) {
            return;
        }
        long untilMs = clock.millis() + CALL.toMillis();
        for (List<Left> page = page(productId); !page.isEmpty(); page = page(productId)) {
            if (clock.millis() > untilMs) {
                throw busy(productId, "more orders are left to delete");
            }
            wipe(productId, page);
        }
        mapper.deleteParked(productId);
        mapper.markWiped(productId, clock.millis());
    }

    /** The first script of a rebuild that was decided before may have come after the cut. */
    private static void wipe(QuantityStock shard, String productId) {
        try {
            shard.remove(productId, 0);
        } catch (ShardDownException | ShardUnknownException e) {
            // What it may have got since it was cut is looked for again.
        }
    }

    private List<Left> page(String productId) {
        return mapper.left(productId, PAGE);
    }

    /** Charges first: a report of one that is under way ends first, or finds no charge. */
    private void wipe(String productId, List<Left> page) {
        relay.removeResults(productId, page.stream().map(Left::userId).toList());
        transaction.executeWithoutResult(status -> {
            mapper.deleteCharges(page);
            mapper.deleteOrders(page);
            mapper.deletePayments(page);
            mapper.deleteRefunds(page);
            mapper.deleteReturns(page);
        });
    }

    private static RefusedException busy(String productId, String why) {
        return new RefusedException(
                Refusal.BUSY, "the sale of " + productId + " ends: " + why + "; call again");
    }

    /** What one shard has of the sale: the reservations made there, and entries not handed over. */
    private record Part(QuantityStock shard, int rebuilt, long reservations, long waiting) {

        /** Closed where its counters are damaged, for then nobody can tell how many were made. */
        static Part of(QuantityStock shard, String productId) {
            return asked(shard, () -> {
                QuantityRecovery part = new QuantityRecovery(shard.shard());
                ShardState found = part.state(productId);
                if (found.stock().isEmpty()) {
                    part.close(productId);
                }
                long made = found.stock().map(StockCount::seq).orElse(0L);
                return new Part(shard, found.rebuilt(), made, found.outboxLength());
            });
        }

        /** Reservations, since the last rebuild, that have no row yet. */
        long missing(List<Landed> landed) {
            long orders = landed.stream()
                    .filter(some -> some.shard() == shard.index() && some.epoch() >= rebuilt)
                    .mapToLong(Landed::orders)
                    .sum();
            return Math.max(0, reservations - orders);
        }

        boolean remove(String productId) {
            return asked(shard, () -> shard.remove(productId, reservations));
        }

        private static <T> T asked(QuantityStock shard, Supplier<T> question) {
            try {
                return question.get();
            } catch (ShardDownException | ShardUnknownException e) {
                throw Unavailable.shard(shard.index());
            }
        }
    }
}
