package io.seckill.order.closing;

import io.seckill.order.booking.DatabaseClock;
import io.seckill.order.booking.LedgerMapper;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.OrderMapper;
import io.seckill.order.booking.Reason;
import io.seckill.order.booking.Transactions;
import io.seckill.order.relay.Outbox;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/**
 * Closes orders nobody paid: status, ledger and both messages in one transaction.
 *
 * <p>The status decides: of a payment, a second sweep and this one, the first to change it from
 * UNPAID wins and the others change nothing. The ledger's row is locked first, as by whoever writes
 * orders, and no epoch begins between that and the commit. What is due is said by the database's
 * clock, read once for a page: a page that takes long closes late, and nothing early.
 */
@Component
public final class ClosingService {

    private static final Logger LOG = LoggerFactory.getLogger(ClosingService.class);
    private static final int PAGE = 100;
    private static final int MAX_PAGES = 20;

    private final Transactions transactions;
    private final OrderMapper orders;
    private final LedgerMapper ledger;
    private final Outbox outbox;
    private final DatabaseClock clock;
    private volatile Place place = Place.FIRST;

    ClosingService(
            Transactions transactions,
            OrderMapper orders,
            LedgerMapper ledger,
            Outbox outbox,
            DatabaseClock clock) {
        this.transactions = transactions;
        this.orders = orders;
        this.ledger = ledger;
        this.outbox = outbox;
        this.clock = clock;
    }

    /** How far the sweep has come: whatever cannot be closed is passed, not asked for again. */
    private record Place(long payByMs, String orderSn) {

        static final Place FIRST = new Place(0, "");

        static Place of(Order order) {
            return new Place(order.payByMs(), order.orderSn());
        }
    }

    /** Closes what is due, at most {@link #MAX_PAGES} pages. True: the next sweep goes on there. */
    boolean sweep() {
        int pages = 0;
        while (pages < MAX_PAGES && closePage(clock.millis())) {
            pages++;
        }
        return pages == MAX_PAGES;
    }

    /** False: that was the last page, and the next is the first again. */
    private boolean closePage(long nowMs) {
        Place after = place;
        List<Order> due = orders.due(nowMs, after.payByMs(), after.orderSn(), PAGE);
        due.forEach(order -> closeAlone(order, nowMs));
        boolean full = due.size() == PAGE;
        place = full ? Place.of(due.get(PAGE - 1)) : Place.FIRST;
        return full;
    }

    /** One order whose books do not balance must not keep the others open. */
    private void closeAlone(Order order, long nowMs) {
        try {
            close(order, nowMs);
        } catch (DataIntegrityViolationException e) {
            LOG.error(
                    "order {} cannot be closed, run ./seckill audit {}: {}",
                    order.orderSn(),
                    order.productId(),
                    e.toString());
        }
    }

    /** At a time of the database's clock. False: not due, or no longer unpaid; nothing changed. */
    public boolean close(Order order, long nowMs) {
        return transactions.call(() -> {
            int epoch = ledger.lockEpoch(order.productId(), order.shard());
            if (!orders.cancelDue(order.orderSn(), Reason.PAY_TIMEOUT, nowMs, epoch)) {
                return false;
            }
            ledger.giveBack(order);
            Order cancelled = order.cancelled(Reason.PAY_TIMEOUT, nowMs, epoch);
            outbox.tell(cancelled.event());
            outbox.giveBack(cancelled.stockReturn().stream().toList());
            return true;
        });
    }
}
