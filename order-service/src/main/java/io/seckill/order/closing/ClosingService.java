package io.seckill.order.closing;

import static java.util.stream.Collectors.toSet;

import io.seckill.order.booking.LedgerMapper;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.Reason;
import io.seckill.order.booking.Transactions;
import io.seckill.order.closing.DueOrders.Locked;
import io.seckill.order.relay.Outbox;
import java.util.List;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Closes orders nobody paid: their status, the ledger and all messages in one transaction.
 *
 * <p>The status decides: of a payment, a sweep of another instance and this, the first to change it
 * from UNPAID wins and the others change nothing. The ledger's row is locked first, as by whoever
 * writes orders, and no epoch begins between that and the commit; then the orders that are still
 * due are locked, and exactly those end.
 */
@Component
public final class ClosingService {

    private final Transactions transactions;
    private final DueOrders orders;
    private final LedgerMapper ledger;
    private final Outbox outbox;

    ClosingService(
            Transactions transactions, DueOrders orders, LedgerMapper ledger, Outbox outbox) {
        this.transactions = transactions;
        this.orders = orders;
        this.ledger = ledger;
        this.outbox = outbox;
    }

    /**
     * At a time of the database's clock; waits for whoever has the order locked. False: not due, or
     * no longer unpaid; nothing changed.
     */
    public boolean close(Order order, long nowMs) {
        return transactions.call(() -> closeDue(List.of(order), nowMs, Locked.WAITED_FOR)) == 1;
    }

    /**
     * Those of them (at least one, all of one row of the ledger) that are due and that nobody else
     * has locked: how many. All or, after a throw, none. It waits once for the ledger's row, as
     * long as the database lets it: whoever sweeps comes again.
     */
    int closeTogether(List<Order> batch, long nowMs) {
        return transactions.once(() -> closeDue(batch, nowMs, Locked.PASSED));
    }

    private int closeDue(List<Order> batch, long nowMs, Locked locked) {
        Order any = batch.get(0);
        int epoch = ledger.lockEpoch(any.productId(), any.shard());
        Set<String> due =
                orders.lock(batch.stream().map(Order::orderSn).collect(toSet()), nowMs, locked);
        if (due.isEmpty()) {
            return 0;
        }
        orders.cancel(due, Reason.PAY_TIMEOUT, nowMs, epoch);
        List<Order> cancelled = batch.stream()
                .filter(order -> due.contains(order.orderSn()))
                .map(order -> order.cancelled(Reason.PAY_TIMEOUT, nowMs, epoch))
                .toList();
        long units = cancelled.stream().mapToLong(Order::quantity).sum();
        ledger.giveBack(any.productId(), any.shard(), units);
        outbox.tell(cancelled.stream().map(Order::event).toList());
        outbox.giveBack(cancelled.stream()
                .flatMap(order -> order.stockReturn().stream())
                .toList());
        return cancelled.size();
    }
}
