package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;

import io.seckill.common.CrashPoint;
import io.seckill.order.relay.Outbox;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/**
 * Writes a batch in which nothing conflicts, in one transaction of a few statements however long it
 * is: the orders, their events, the returns of what was rejected, and last, for each ledger row,
 * one update.
 *
 * <p>What can interleave: another batch with the same ledger row. It inserts meanwhile and waits
 * only while this one commits, for the ledger comes last; and as batches are sorted by ledger row,
 * no two of them wait for each other there. What stays true at every commit is what {@link
 * OrderWriter} keeps: where a key is taken, the ledger has not that much left, another epoch began
 * since the offers were read, or the database refuses a row, nothing of the batch is written, and
 * the careful way says what becomes of each. What was found lost before stays lost, and what was
 * not lost in the offer's epoch is not lost while the ledger has that epoch: so the last update
 * proves all that was decided without a lock.
 */
@Component
final class BulkWriter {

    private final Transactions transactions;
    private final OrderBatch orders;
    private final LedgerMapper ledger;
    private final Outbox outbox;

    BulkWriter(Transactions transactions, OrderBatch orders, LedgerMapper ledger, Outbox outbox) {
        this.transactions = transactions;
        this.orders = orders;
        this.ledger = ledger;
        this.outbox = outbox;
    }

    /** False: something conflicts and nothing was written. Throws when the database is away. */
    boolean write(List<Order> batch, Map<String, Offer> known) {
        try {
            return transactions.attempt(() -> {
                orders.insert(batch);
                outbox.tell(batch.stream().map(Order::event).toList());
                outbox.giveBack(batch.stream()
                        .flatMap(order -> order.stockReturn().stream())
                        .toList());
                return byLedgerRow(batch, known).stream().allMatch(this::count);
            });
        } catch (DataIntegrityViolationException e) {
            return false;
        }
    }

    /** In the order of the batch. */
    private static Collection<Units> byLedgerRow(List<Order> batch, Map<String, Offer> known) {
        Map<String, Units> rows = new LinkedHashMap<>();
        for (Order order : batch) {
            String place = Offer.place(order.productId(), order.shard());
            Offer offer = requireNonNull(known.get(place), "what has no offer was parked");
            rows.merge(place, Units.of(order, offer.epoch()), Units::plus);
        }
        return rows.values();
    }

    /** As {@link #meetLedger}, which a crash may come before or after. */
    private boolean count(Units units) {
        CrashPoint.LANDING_WRITTEN.reached(units.productId());
        boolean counted = meetLedger(units);
        CrashPoint.LANDING_COUNTED.reached(units.productId());
        return counted;
    }

    /** False: the row has not that much left, or is in another epoch. */
    private boolean meetLedger(Units units) {
        if (units.quantity() > 0) {
            return ledger.take(units);
        }
        boolean same = ledger.lockEpoch(units.productId(), units.shard()) == units.epoch();
        if (same) {
            ledger.pass(units);
        }
        return same;
    }
}
