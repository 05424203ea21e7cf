package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toList;

import io.seckill.order.relay.Outbox;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/**
 * Writes a batch in which nothing conflicts, in one transaction of a few statements however long it
 * is: the orders, their events, and last, for each ledger row, one update and the returns of what
 * was rejected.
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
                return byLedgerRow(batch).stream().allMatch(this::meetLedger);
            });
        } catch (DataIntegrityViolationException e) {
            return false;
        }
    }

    /** In the order of the batch. */
    private static Collection<List<Order>> byLedgerRow(List<Order> batch) {
        return batch.stream()
                .collect(groupingBy(
                        order -> Offer.place(order.productId(), order.shard()),
                        LinkedHashMap::new,
                        toList()))
                .values();
    }

    /** False: the row has not that much left. */
    private boolean meetLedger(List<Order> ofOneRow) {
        Map<Boolean, List<Order>> byLive = ofOneRow.stream()
                .collect(partitioningBy(order -> order.status() == Order.Status.UNPAID));
        List<Order> live = requireNonNull(byLive.get(true));
        List<Order> rejected = requireNonNull(byLive.get(false));
        boolean fits = live.isEmpty() || ledger.takeAll(units(live));
        if (fits && !rejected.isEmpty()) {
            ledger.pass(units(rejected));
            int epoch = ledger.epoch(rejected.get(0));
            outbox.giveBack(
                    rejected.stream().map(order -> order.stockReturn(epoch)).toList());
        }
        return fits;
    }

    private static Units units(List<Order> ofOneRow) {
        return ofOneRow.stream().map(Units::of).reduce(Units::plus).orElseThrow();
    }
}
