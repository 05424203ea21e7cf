package io.seckill.order.booking;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/**
 * Brings a batch to disk: all at once where nothing conflicts, halved where something does, and
 * {@link #CAREFUL} reservations or fewer one by one in a transaction of their own.
 *
 * <p>So one conflict costs a try for each halving, and its neighbours still go fast. Reservations
 * that another delivery has landed at the same time are left out first. A row that the
 * database refuses for what is in it is told apart by the same halving, is tried as a rejection,
 * whose unit goes back, and is parked when that is refused too: it holds up nobody. A lock that
 * somebody holds for seconds holds up those alone who need it: all of a ledger row, or, where it is
 * another lock, whom the halving finds.
 */
@Component
final class Landing {

    /** Below this the careful way, three statements each, costs less than more halvings. */
    static final int CAREFUL = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Landing.class);

    private final OrderBatch rows;
    private final BulkWriter bulk;
    private final OrderWriter writer;
    private final HeldRows heldRows;

    Landing(OrderBatch rows, BulkWriter bulk, OrderWriter writer, HeldRows heldRows) {
        this.rows = rows;
        this.bulk = bulk;
        this.writer = writer;
        this.heldRows = heldRows;
    }

    /** What is tried at once, in one transaction. */
    private record Part(List<Order> orders, boolean careful) {}

    /** These have landed: the rows written, and how many were parked. The others had a row. */
    record Landed(List<Order> orders, List<Order> written, int parked) {

        int repeated() {
            return orders.size() - written.size() - parked;
        }
    }

    /** Has what came in place of an order, with all that it takes to send it again. */
    interface Park {

        /** On disk afterwards, or it throws. */
        void park(Order bad, String why);
    }

    /**
     * Lands the batch, which is sorted by ledger row, each under its offer. Each part is on disk
     * when it is handed over; after a throw the others have not landed, or nobody knows. Nor has
     * what is answered: it is held up.
     */
    List<Order> land(
            List<Order> batch, Map<String, Offer> known, Park park, Consumer<Landed> landed) {
        List<Order> heldUp = new ArrayList<>();
        Deque<Part> parts = new ArrayDeque<>();
        parts.push(new Part(batch, false));
        while (!parts.isEmpty()) {
            Part part = parts.pop();
            try {
                if (part.careful()) {
                    landCarefully(part, parts, park, landed);
                } else if (bulk.write(part.orders(), known)) {
                    landed.accept(new Landed(part.orders(), part.orders(), 0));
                } else {
                    makeSmaller(part.orders(), parts, landed);
                }
            } catch (RuntimeException e) {
                if (!Transactions.isLockWait(e)) {
                    throw e;
                }
                heldUp.addAll(makeFree(part, parts));
            }
        }
        return heldUp;
    }

    /** Without those that another delivery has landed meanwhile, or else halved. */
    private void makeSmaller(List<Order> part, Deque<Part> parts, Consumer<Landed> landed) {
        Set<String> known = rows.known(part.stream().map(Order::reservationId).toList());
        List<Order> open = new ArrayList<>(part);
        open.removeIf(o -> known.contains(o.reservationId()));
        if (open.size() < part.size()) {
            List<Order> others = new ArrayList<>(part);
            others.removeAll(open);
            landed.accept(new Landed(others, List.of(), 0));
        }
        if (open.isEmpty()) {
            return;
        }
        Part rest = new Part(open, part.size() <= CAREFUL);
        if (rest.careful() || open.size() < part.size()) {
            parts.push(rest);
        } else {
            pushHalves(rest, parts);
        }
    }

    private void landCarefully(Part part, Deque<Part> parts, Park park, Consumer<Landed> landed) {
        List<Order> orders = part.orders();
        try {
            landed.accept(new Landed(orders, writer.write(orders), 0));
        } catch (DataIntegrityViolationException e) {
            if (orders.size() == 1) {
                landed.accept(refused(orders.get(0), e, park));
            } else {
                pushHalves(part, parts);
            }
        }
    }

    private Landed refused(Order bad, DataIntegrityViolationException why, Park park) {
        LOG.error("reservation {} becomes no order: {}", bad.reservationId(), why.toString());
        try {
            return new Landed(List.of(bad), writer.reject(bad), 0);
        } catch (DataIntegrityViolationException again) {
            park.park(bad, String.valueOf(again.getMessage()));
            return new Landed(List.of(bad), List.of(), 1);
        }
    }

    /** Of a part that waited for a lock in vain: who is held up. The others are tried again. */
    private List<Order> makeFree(Part part, Deque<Part> parts) {
        Map<String, Boolean> rowIsHeld = new HashMap<>();
        List<Order> heldUp = part.orders().stream()
                .filter(o -> rowIsHeld.computeIfAbsent(
                        Offer.place(o.productId(), o.shard()),
                        place -> heldRows.learn(o.productId(), o.shard())))
                .toList();
        if (heldUp.isEmpty() && part.orders().size() == 1) {
            return part.orders();
        }
        if (heldUp.isEmpty()) {
            pushHalves(part, parts);
            return heldUp;
        }
        List<Order> others = new ArrayList<>(part.orders());
        others.removeAll(heldUp);
        if (!others.isEmpty()) {
            parts.push(new Part(others, part.careful()));
        }
        return heldUp;
    }

    private static void pushHalves(Part part, Deque<Part> parts) {
        List<Order> orders = part.orders();
        int middle = orders.size() / 2;
        parts.push(new Part(orders.subList(middle, orders.size()), part.careful()));
        parts.push(new Part(orders.subList(0, middle), part.careful()));
    }
}
