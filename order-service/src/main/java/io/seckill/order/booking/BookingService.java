package io.seckill.order.booking;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.order.relay.Outbox;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Settles delivered reservations, at the pace operators allow.
 *
 * <p>Each ends as: told again (its row is there), parked (no shard can have made it), or one row,
 * ordered or rejected. When the database is away it throws, and the same messages come again; what
 * was committed before is then found and told again.
 */
@Component
public final class BookingService {

    private static final Logger LOG = LoggerFactory.getLogger(BookingService.class);
    private static final Comparator<Reservation> BY_LEDGER_ROW = Comparator.comparing(
                    Reservation::productId)
            .thenComparingInt(Reservation::shard)
            .thenComparing(Reservation::reservationId);

    private final OrderMapper orders;
    private final SaleMapper sales;
    private final ParkedMapper parked;
    private final OrderWriter writer;
    private final Outbox outbox;
    private final OrderSn orderSn;
    private final OrderRate rate;
    private final Clock clock;

    BookingService(
            OrderMapper orders,
            SaleMapper sales,
            ParkedMapper parked,
            OrderWriter writer,
            Outbox outbox,
            OrderSn orderSn,
            OrderRate rate,
            Clock clock) {
        this.orders = orders;
        this.sales = sales;
        this.parked = parked;
        this.writer = writer;
        this.outbox = outbox;
        this.orderSn = orderSn;
        this.rate = rate;
        this.clock = clock;
    }

    /** Each is on disk afterwards, one way or another. */
    public void settle(List<Reservation> messages) {
        List<Reservation> fresh = fresh(messages);
        if (fresh.isEmpty()) {
            return;
        }
        Map<String, Sale> known = salesOf(fresh);
        List<Reservation> genuine = genuine(fresh, known);
        for (int done = 0; done < genuine.size(); ) {
            OrderRate.Permit permit = rate.take(genuine.size() - done);
            List<Reservation> now = genuine.subList(done, done + permit.count());
            writer.write(now.stream().map(r -> order(r, known, permit.atMs())).toList());
            outbox.nudge();
            done += permit.count();
        }
    }

    /** Those without a row. Of the others the outcome is told again: it may have been lost. */
    private List<Reservation> fresh(List<Reservation> messages) {
        if (messages.isEmpty()) {
            return messages;
        }
        List<Order> known = orders.ofReservations(
                messages.stream().map(Reservation::reservationId).collect(toSet()));
        if (known.isEmpty()) {
            return messages;
        }
        outbox.tell(known.stream().map(Order::event).toList());
        outbox.nudge();
        Set<String> ids = known.stream().map(Order::reservationId).collect(toSet());
        return messages.stream().filter(r -> !ids.contains(r.reservationId())).toList();
    }

    private Map<String, Sale> salesOf(List<Reservation> messages) {
        Set<String> products = messages.stream().map(Reservation::productId).collect(toSet());
        return sales.of(products).stream().collect(toMap(Sale::productId, identity()));
    }

    /** In the order of the ledger's rows; the rest is parked. */
    private List<Reservation> genuine(List<Reservation> messages, Map<String, Sale> known) {
        List<Reservation> genuine = new ArrayList<>();
        for (Reservation message : messages) {
            String objection = Sale.objection(known.get(message.productId()), message);
            if (objection == null) {
                genuine.add(message);
            } else {
                park(Reservation.TOPIC, message.reservationId(), Json.write(message), objection);
            }
        }
        genuine.sort(BY_LEDGER_ROW);
        return genuine;
    }

    private Order order(Reservation from, Map<String, Sale> known, long nowMs) {
        Sale sale = known.get(from.productId());
        return Order.unpaid(orderSn.next(from.userId()), from, sale, nowMs);
    }

    /** Keeps a message that can become no order for a human, once. */
    public void park(String topic, String messageId, String body, String reason) {
        if (parked.insert(topic, messageId, body, reason, clock.millis())) {
            LOG.warn("parked message {} of {}: see the table parked_message", messageId, topic);
        }
    }
}
