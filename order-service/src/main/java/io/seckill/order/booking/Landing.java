package io.seckill.order.booking;

import java.util.ArrayDeque;
import java.util.Deque;
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
 * whose unit goes back, and is parked when that is refused too: it holds up nobody.
 */
@Component
final class Landing {

    /** Below this the careful way, three statements each, costs less than more halvings. */
    static final int CAREFUL = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Landing.class);

    private final OrderBatch rows;
    private final BulkWriter bulk;
    private final OrderWriter writer;
    private final Parking parking;

    Landing(OrderBatch rows, BulkWriter bulk, OrderWriter writer, Parking parking) {
        this.rows = rows;
        this.bulk = bulk;
        this.writer = writer;
        this.parking = parking;
    }

    /**
     * So many of the batch have landed: the rows written, and how many were parked. The others had
     * their rows already.
     */
    record Part(int size, List<Order> written, int parked) {

        int repeated() {
            return size - written.size() - parked;
        }
    }

    /**
     * Lands the batch, which is sorted by ledger row, each under its offer. Each part is on disk
     * when it is handed over; after a throw the others have not landed, or nobody knows.
     */
    void land(List<Order> batch, Map<String, Offer> known, Consumer<Part> landed) {
        Deque<List<Order>> parts = new ArrayDeque<>();
        parts.push(batch);
        while (!parts.isEmpty()) {
            List<Order> part = parts.pop();
            if (bulk.write(part, known)) {
                landed.accept(new Part(part.size(), part, 0));
            } else {
                makeSmaller(part, parts, landed);
            }
        }
    }

    /** Without those that another delivery has landed meanwhile, or else halved. */
    private void makeSmaller(List<Order> part, Deque<List<Order>> parts, Consumer<Part> landed) {
        Set<String> known = rows.known(part.stream().map(Order::reservationId).toList());
        List<Order> open =
                part.stream().filter(o -> !known.contains(o.reservationId())).toList();
        if (open.size() < part.size()) {
            landed.accept(new Part(part.size() - open.size(), List.of(), 0));
        }
        if (open.isEmpty()) {
            return;
        }
        if (part.size() <= CAREFUL) {
            landCarefully(open, landed);
        } else if (open.size() < part.size()) {
            parts.push(open);
        } else {
            parts.push(secondHalf(part));
            parts.push(firstHalf(part));
        }
    }

    private void landCarefully(List<Order> part, Consumer<Part> landed) {
        try {
            landed.accept(new Part(part.size(), writer.write(part), 0));
        } catch (DataIntegrityViolationException e) {
            if (part.size() == 1) {
                landed.accept(refused(part.get(0), e));
            } else {
                landCarefully(firstHalf(part), landed);
                landCarefully(secondHalf(part), landed);
            }
        }
    }

    private Part refused(Order bad, DataIntegrityViolationException why) {
        LOG.error("reservation {} becomes no order: {}", bad.reservationId(), why.toString());
        try {
            return new Part(1, writer.reject(bad), 0);
        } catch (DataIntegrityViolationException again) {
            parking.park(bad.reservation(), String.valueOf(again.getMessage()));
            return new Part(1, List.of(), 1);
        }
    }

    private static List<Order> firstHalf(List<Order> part) {
        return part.subList(0, part.size() / 2);
    }

    private static List<Order> secondHalf(List<Order> part) {
        return part.subList(part.size() / 2, part.size());
    }
}
