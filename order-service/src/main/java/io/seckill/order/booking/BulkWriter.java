package io.seckill.order.booking;

import io.seckill.order.relay.Outbox;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/**
 * Writes a batch in which nothing conflicts, in one transaction of a few statements however long it
 * is: the orders, their events, and last one update for each ledger row.
 *
 * <p>What can interleave: another batch with the same ledger row. It inserts meanwhile and waits
 * only while this one commits, for the ledger comes last; and as batches are sorted by ledger row,
 * no two of them wait for each other there. What stays true at every commit is what {@link
 * OrderWriter} keeps: where a key is taken, the ledger has not that much left, or the database
 * refuses a row, nothing of the batch is written, and the careful way says what becomes of each.
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
    boolean write(List<Order> batch) {
        try {
            return transactions.attempt(() -> {
                orders.insert(batch);
                outbox.tell(batch.stream().map(Order::event).toList());
                return units(batch).stream().allMatch(ledger::takeAll);
            });
        } catch (DataIntegrityViolationException e) {
            return false;
        }
    }

    /** What each ledger row must have left, in the order of the batch. */
    private static Collection<Units> units(List<Order> batch) {
        Map<String, Units> byPlace = new LinkedHashMap<>();
        batch.forEach(order -> byPlace.merge(
                Offer.place(order.productId(), order.shard()), Units.of(order), Units::plus));
        return byPlace.values();
    }
}
