package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;
import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.seckill.common.Counters;
import io.seckill.contracts.Reservation;
import io.seckill.order.relay.Outbox;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Settles delivered reservations, at the pace operators allow.
 *
 * <p>Each ends, and is counted, as one of: repeated (its row is there and is told again), dropped
 * (its synthetic sale was removed), parked (no shard can have made it, or the database takes no row
 * of it), or one row, ordered or rejected. When the database is away it
 * throws, and the same messages come again; what was committed before is then found and told again.
 * A commit of unknown outcome is counted deferred, and repeated when it comes again: counters count
 * deliveries, rows are in the tables.
 */
@Component
public final class BookingService {

    private static final Comparator<Reservation> BY_LEDGER_ROW = Comparator.comparing(
                    Reservation::productId)
            .thenComparingInt(Reservation::shard)
            .thenComparing(Reservation::reservationId);

    private final OrderMapper orders;
    private final OfferMapper offers;
    private final OrderBatch rows;
    private final Parking parking;
    private final Landing landing;
    private final Outbox outbox;
    private final OrderSn orderSn;
    private final OrderRate rate;
    private final Counters counters;

    BookingService(
            OrderMapper orders,
            OfferMapper offers,
            OrderBatch rows,
            Parking parking,
            Landing landing,
            Outbox outbox,
            OrderSn orderSn,
            OrderRate rate,
            Counters counters) {
        this.orders = orders;
        this.offers = offers;
        this.rows = rows;
        this.parking = parking;
        this.landing = landing;
        this.outbox = outbox;
        this.orderSn = orderSn;
        this.rate = rate;
        this.counters = counters;
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
            putAside(open, known);
            open.sort(BY_LEDGER_ROW);
            while (!open.isEmpty()) {
                OrderRate.Permit permit = rate.take(open.size());
                book(open.subList(0, permit.count()), known, permit.atMs());
            }
        } finally {
            counters.add(open.size(), "seckill_deferred_total");
        }
    }

    /** What became of those that have a row is told again: the first word may have been lost. */
    private void tellKnown(List<Reservation> open) {
        Set<String> known =
                rows.known(open.stream().map(Reservation::reservationId).toList());
        if (known.isEmpty()) {
            return;
        }
        outbox.tell(orders.ofReservations(known).stream().map(Order::event).toList());
        outbox.nudge();
        int before = open.size();
        open.removeIf(message -> known.contains(message.reservationId()));
        counters.add(before - open.size(), "seckill_repeated_total");
    }

    private Map<String, Offer> offersOf(List<Reservation> messages) {
        if (messages.isEmpty()) {
            return Map.of();
        }
        Set<String> products = messages.stream().map(Reservation::productId).collect(toSet());
        return offers.of(products).stream().collect(toMap(Offer::place, identity()));
    }

    /** Drops what is late, parks what is forged. */
    private void putAside(List<Reservation> open, Map<String, Offer> known) {
        for (Iterator<Reservation> left = open.iterator(); left.hasNext(); ) {
            Reservation message = left.next();
            Offer offer = offer(message, known);
            Optional<String> objection = Offer.objection(offer, message);
            if (offer == null && offers.wasRemoved(message.productId())) {
                counters.count("seckill_dropped_total");
                left.remove();
            } else if (objection.isPresent()) {
                parking.park(message, objection.get());
                left.remove();
            }
        }
    }

    private void book(List<Reservation> batch, Map<String, Offer> known, long nowMs) {
        List<Order> wanted = batch.stream().map(r -> order(r, known, nowMs)).toList();
        landing.land(wanted, part -> {
            outbox.nudge();
            part.written().forEach(this::count);
            counters.add(part.repeated(), "seckill_repeated_total");
            batch.subList(0, part.size()).clear();
        });
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
        parking.park(topic, messageId, body, reason);
        counters.count("seckill_reservations_total");
    }
}
