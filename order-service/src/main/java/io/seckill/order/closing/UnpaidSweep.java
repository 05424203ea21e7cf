package io.seckill.order.closing;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.seckill.order.booking.DatabaseClock;
import io.seckill.order.booking.Order;
import io.seckill.order.booking.OrderMapper;
import io.seckill.order.booking.Transactions;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Finds the orders that nobody paid in time and has them closed, the oldest first.
 *
 * <p>What is due is said by the database's clock, read once for a page: a page that takes long
 * closes late, and nothing early. A page is closed in batches, one for each row of the ledger; a
 * batch that fails while the database answers is halved, so one order that cannot be closed costs a
 * try for each halving. It is then left alone for {@link #PASSES} passes over all that is due, and
 * passed meanwhile: however many there are, those behind them are reached. A batch whose row of the
 * ledger somebody holds is left for the next pass, with all others of that row.
 *
 * <p>Two instances find the same orders: the second waits for the ledger's row and then closes what
 * the first has left. One thread sweeps.
 */
@Component
final class UnpaidSweep {

    /** Orders that are read at once. */
    static final int PAGE = 256;

    private static final Logger LOG = LoggerFactory.getLogger(UnpaidSweep.class);
    private static final int MAX_PAGES = 20;

    /** So seldom is what cannot be closed tried again: every ten seconds when all is quiet. */
    private static final int PASSES = 10;

    /** Beyond this they are tried in each pass. */
    private static final int MAX_LEFT_ALONE = 10_000;

    private final OrderMapper orders;
    private final ClosingService closing;
    private final DatabaseClock clock;
    private final Set<String> leftAlone = new HashSet<>(); // order numbers
    private final Set<LedgerRow> held = new HashSet<>(); // by others, in this pass
    private Place place = Place.FIRST;
    private int passes;

    UnpaidSweep(OrderMapper orders, ClosingService closing, DatabaseClock clock) {
        this.orders = orders;
        this.closing = closing;
        this.clock = clock;
    }

    private record LedgerRow(String productId, int shard) {

        static LedgerRow of(Order order) {
            return new LedgerRow(order.productId(), order.shard());
        }
    }

    /** How far the pass has come: whatever was not closed is not asked for again. */
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
        List<Order> due = orders.due(nowMs, place.payByMs(), place.orderSn(), PAGE);
        byLedgerRow(due).forEach(batch -> close(batch, nowMs));
        if (due.size() == PAGE) {
            place = Place.of(due.get(PAGE - 1));
            return true;
        }
        place = Place.FIRST;
        endPass();
        return false;
    }

    private void endPass() {
        held.clear();
        if (++passes % PASSES == 0) {
            leftAlone.clear();
        }
    }

    private Collection<List<Order>> byLedgerRow(List<Order> page) {
        return page.stream()
                .filter(order -> !leftAlone.contains(order.orderSn()))
                .collect(groupingBy(LedgerRow::of, LinkedHashMap::new, toList()))
                .values();
    }

    private void close(List<Order> ofOneRow, long nowMs) {
        Deque<List<Order>> parts = new ArrayDeque<>();
        parts.push(ofOneRow);
        while (!parts.isEmpty() && !held.contains(LedgerRow.of(ofOneRow.get(0)))) {
            List<Order> part = parts.pop();
            try {
                closing.closeTogether(part, nowMs);
            } catch (RuntimeException e) {
                clock.millis(); // throws when it is the database that is away
                if (Transactions.isVictim(e)) {
                    held.add(LedgerRow.of(part.get(0)));
                } else {
                    makeSmaller(part, parts, e);
                }
            }
        }
    }

    private void makeSmaller(List<Order> part, Deque<List<Order>> parts, RuntimeException why) {
        if (part.size() == 1) {
            leaveAlone(part.get(0), why);
        } else {
            int half = part.size() / 2;
            parts.push(part.subList(half, part.size()));
            parts.push(part.subList(0, half));
        }
    }

    private void leaveAlone(Order order, RuntimeException why) {
        if (leftAlone.isEmpty()) {
            LOG.error(
                    "order {} cannot be closed, nor perhaps others: run ./seckill audit {}: {}",
                    order.orderSn(),
                    order.productId(),
                    why.toString());
        }
        if (leftAlone.size() < MAX_LEFT_ALONE) {
            leftAlone.add(order.orderSn());
        }
    }
}
