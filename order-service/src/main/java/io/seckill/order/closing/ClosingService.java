package io.seckill.order.closing;

import io.seckill.order.booking.LedgerMapper;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.OrderMapper;
import io.seckill.order.booking.Reason;
import io.seckill.order.booking.Transactions;
import io.seckill.order.relay.Outbox;
import java.time.Clock;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/**
 * Closes orders nobody paid: status, ledger and both messages in one transaction.
 *
 * <p>The status decides: of a payment, a second sweep and this one, the first to change it from
 * UNPAID wins and the others change nothing.
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
    private final Clock clock;

    ClosingService(
            Transactions transactions,
            OrderMapper orders,
            LedgerMapper ledger,
            Outbox outbox,
            Clock clock) {
        this.transactions = transactions;
        this.orders = orders;
        this.ledger = ledger;
        this.outbox = outbox;
        this.clock = clock;
    }

    /**
     * Closes what is due, at most {@link #MAX_PAGES} pages. False: nothing more that can be closed.
     */
    boolean sweep() {
        int pages = 0;
        while (pages < MAX_PAGES && closePage(clock.millis()) == PAGE) {
            pages++;
        }
        return pages == MAX_PAGES;
    }

    /** How many were closed here; less than a page also when another instance sweeps the same. */
    private int closePage(long nowMs) {
        List<Order> due = orders.due(nowMs, PAGE);
        return (int) due.stream().filter(order -> closed(order, nowMs)).count();
    }

    /** One order whose books do not balance must not keep the others open. */
    private boolean closed(Order order, long nowMs) {
        try {
            return close(order, nowMs);
        } catch (DataIntegrityViolationException e) {
            LOG.error(
                    "order {} cannot be closed, run ./seckill audit {}: {}",
                    order.orderSn(),
                    order.productId(),
                    e.toString());
            return false;
        }
    }

    /** False: it is not due, or no longer unpaid, and nothing changed. */
    public boolean close(Order order, long nowMs) {
        return transactions.call(() -> {
            if (!orders.cancelDue(order.orderSn(), Reason.PAY_TIMEOUT, nowMs)) {
                return false;
            }
            ledger.giveBack(order);
            Order cancelled = order.cancelled(Reason.PAY_TIMEOUT, nowMs);
            outbox.tell(cancelled.event());
            outbox.giveBack(cancelled.stockReturn(ledger.epoch(cancelled)));
            return true;
        });
    }
}
