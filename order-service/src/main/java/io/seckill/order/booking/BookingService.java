package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;
import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.seckill.common.Counters;
import io.seckill.contracts.Json;
import io.seckill.contracts.Reservation;
import io.seckill.order.relay.Outbox;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Settles delivered reservations, at the pace operators allow.
 *
 * <p>Each ends, and is counted, as one of: repeated (its row is there and is told again), parked
 * (no shard can have made it), or one row, ordered or rejected. When the database is away it
 * throws, and the same messages come again; what was committed before is then found and told again.
 * A commit of unknown outcome is counted deferred, and repeated when it comes again: counters count
 * deliveries, rows are in the tables.
 */
@Component
public final class BookingService {

    private static final Logger LOG = LoggerFactory.getLogger(BookingService.class);
    private static final Comparator<Reservation> BY_LEDGER_ROW = Comparator.comparing(
                    Reservation::productId)
            .thenComparingInt(Reservation::shard)
            .thenComparing(Reservation::reservationId);

    private final OrderMapper orders;
    private final OfferMapper offers;
    private final ParkedMapper parked;
    private final OrderWriter writer;
    private final Outbox outbox;
    private final OrderSn orderSn;
    private final OrderRate rate;
    private final Counters counters;
    private final Clock clock;

    BookingService(
            OrderMapper orders,
            OfferMapper offers,
            ParkedMapper parked,
            OrderWriter writer,
            Outbox outbox,
            OrderSn orderSn,
            OrderRate rate,
            Counters counters,
            Clock clock) {
        this.orders = orders;
        this.offers = offers;
        this.parked = parked;
        this.writer = writer;
        this.outbox = outbox;
        this.orderSn = orderSn;
        this.rate = rate;
        this.counters = counters;
        this.clock = clock;
    }

    /**
     * Each has ended afterwards, and is on disk. After a throw those that have not ended come
     * again: they are counted as deferred.
     */
    public void settle(List<Reservation> messages) {
        List<Reservation> open = new ArrayList<>(messages);
        counters.add(open.size(), "seckill_reservations_total");
        try {
            tellKnown(open);
            Map<String, Offer> known = offersOf(open);
            parkForged(open, known);
            open.sort(BY_LEDGER_ROW);
            while (!open.isEmpty()) {
                OrderRate.Permit permit = rate.take(open.size());
                List<Reservation> batch = open.subList(0, permit.count());
                book(batch, known, permit.atMs());
                batch.clear();
            }
        } finally {
            counters.add(open.size(), "seckill_deferred_total");
        }
    }

    /** What became of those that have a row is told again: the first word may have been lost. */
    private void tellKnown(List<Reservation> open) {
        List<Order> known = open.isEmpty() ? List.of() : orders.ofReservations(ids(open));
        if (known.isEmpty()) {
            return;
        }
        outbox.tell(known.stream().map(Order::event).toList());
        outbox.nudge();
        Set<String> told = known.stream().map(Order::reservationId).collect(toSet());
        int before = open.size();
        open.removeIf(message -> told.contains(message.reservationId()));
        counters.add(before - open.size(), "seckill_repeated_total");
    }

    private static Set<String> ids(List<Reservation> messages) {
        return messages.stream().map(Reservation::reservationId).collect(toSet());
    }

    private Map<String, Offer> offersOf(List<Reservation> messages) {
        if (messages.isEmpty()) {
            return Map.of();
        }
        Set<String> products = messages.stream().map(Reservation::productId).collect(toSet());
        return offers.of(products).stream().collect(toMap(Offer::place, identity()));
    }

    private void parkForged(List<Reservation> open, Map<String, Offer> known) {
        for (Iterator<Reservation> left = open.iterator(); left.hasNext(); ) {
            Reservation message = left.next();
            Optional<String> objection = Offer.objection(offer(message, known), message);
            if (objection.isPresent()) {
                String body = Json.write(message);
                keep(Reservation.TOPIC, message.reservationId(), body, objection.get());
                left.remove();
            }
        }
    }

    private void book(List<Reservation> batch, Map<String, Offer> known, long nowMs) {
        List<Order> written =
                writer.write(batch.stream().map(r -> order(r, known, nowMs)).toList());
        outbox.nudge();
        written.forEach(this::count);
        counters.add(batch.size() - written.size(), "seckill_repeated_total");
    }

    private Order order(Reservation from, Map<String, Offer> known, long nowMs) {
        Offer offer = requireNonNull(offer(from, known), "what has no offer was parked");
        return Order.unpaid(orderSn.next(from.userId()), from, offer, nowMs);
    }

    private static @Nullable Offer offer(Reservation of, Map<String, Offer> known) {
        return known.get(Offer.place(of.productId(), of.shard()));
    }

    private void count(Order written) {
        if (written.reason() == null) {
            counters.count("seckill_ordered_total");
        } else {
            counters.count("seckill_rejected_total", written.reason().name());
        }
    }

    /** Parks what no reservation can be read from. */
    public void park(String topic, String messageId, String body, String reason) {
        keep(topic, messageId, body, reason);
        counters.count("seckill_reservations_total");
    }

    /** Keeps a message that can become no order for a human, once. */
    private void keep(String topic, String messageId, String body, String reason) {
        if (parked.insert(topic, messageId, body, reason, clock.millis())) {
            LOG.warn("parked message {} of {}: see the table parked_message", messageId, topic);
        }
        counters.count("seckill_parked_total");
    }
}
