package io.seckill.order.booking;

import io.seckill.common.CrashPoint;
import io.seckill.order.relay.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.stereotype.Component;

/**
 * The careful way: writes what each of some reservations became, whatever conflicts, in one
 * transaction with the messages that tell of it.
 *
 * <p>What can interleave: another instance with the same reservation, with another reservation of
 * the same user, or with the same ledger row. The ledger is taken first, so such batches queue at
 * its row; whoever comes second then finds a unique key taken, gives its units back in the same
 * transaction, and asks which key it was. Or a recovery opens the shard: it begins with the lock of
 * the ledger's row, too, so it comes wholly before, and its opening is seen, or wholly after. What
 * stays true at every commit: one row per reservation, one live order per user and product, none of
 * a reservation that was lost, {@code sold} = units of live orders, never more than allocated, and
 * {@code last_seq} never below a seq that met the row and was not lost. The epoch that an ended
 * order and its return carry is read under that lock.
 *
 * <p>A row decides for ever: what is decided here for a reservation that has one changes nothing.
 */
@Component
final class OrderWriter {

    private final Transactions transactions;
    private final OrderMapper orders;
    private final LedgerMapper ledger;
    private final OpeningMapper openings;
    private final Overdrafts overdrafts;
    private final Outbox outbox;

    OrderWriter(
            Transactions transactions,
            OrderMapper orders,
            LedgerMapper ledger,
            OpeningMapper openings,
            Overdrafts overdrafts,
            Outbox outbox) {
        this.transactions = transactions;
        this.orders = orders;
        this.ledger = ledger;
        this.openings = openings;
        this.overdrafts = overdrafts;
        this.outbox = outbox;
    }

    /**
     * The rows written, ordered or rejected (some were before); those missing had theirs already.
     * All or, after a throw, none. The batch is sorted by ledger row, so that two seldom deadlock.
     */
    List<Order> write(List<Order> batch) {
        return transactions.call(() -> {
            List<Order> written = new ArrayList<>();
            batch.forEach(order -> book(order).ifPresent(written::add));
            return written;
        });
    }

    /** The row of a reservation that can be no order, unless it has one already. */
    List<Order> reject(Order bad) {
        return write(List.of(invalid(bad)));
    }

    /** As {@link #reject}, in one transaction with what is kept of it. */
    void reject(Order bad, Runnable keeping) {
        transactions.call(() -> {
            keeping.run();
            return book(invalid(bad));
        });
    }

    private static Order invalid(Order bad) {
        boolean live = bad.status() == Order.Status.UNPAID;
        return live ? bad.rejected(Reason.INVALID, bad.epoch()) : bad;
    }

    private Optional<Order> book(Order order) {
        int epoch = ledger.lockEpoch(order.productId(), order.shard());
        if (order.epoch() < epoch && openings.lost(order.reservation())) {
            return writeRejected(order.rejected(Reason.LOST, epoch));
        }
        Reason wanted = order.reason();
        Units units = Units.of(order, epoch);
        if (wanted != null || !ledger.take(units)) {
            ledger.pass(units);
            return writeRejected(
                    order.rejected(wanted == null ? Reason.LEDGER_FULL : wanted, epoch));
        }
        CrashPoint.LANDING_TAKEN.reached(order.productId());
        if (orders.insert(order)) {
            outbox.tell(order.event());
            return Optional.of(order);
        }
        ledger.giveBack(order.productId(), order.shard(), order.quantity());
        if (isKnown(order)) {
            return Optional.empty();
        }
        if (!orders.holdsLive(order.productId(), order.userId())) {
            throw numberTaken(order);
        }
        return writeRejected(order.rejected(Reason.DUPLICATE_USER, epoch));
    }

    private Optional<Order> writeRejected(Order rejected) {
        if (orders.insert(rejected)) {
            outbox.tell(rejected.event());
            outbox.giveBack(rejected.stockReturn().stream().toList());
            if (rejected.reason() == Reason.LEDGER_FULL) {
                overdrafts.found(rejected);
            }
            return Optional.of(rejected);
        }
        if (!isKnown(rejected)) {
            throw numberTaken(rejected);
        }
        return Optional.empty();
    }

    /** A redelivery: its row says what became of it, and was told when it was written. */
    private boolean isKnown(Order order) {
        return !orders.ofReservations(Set.of(order.reservationId())).isEmpty();
    }

    private static TransientDataAccessResourceException numberTaken(Order order) {
        return new TransientDataAccessResourceException(
                "order number " + order.orderSn() + " is taken");
    }
}
