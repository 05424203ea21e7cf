package io.seckill.order.booking;

import static java.util.Objects.requireNonNull;
import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.seckill.common.Counters;
import io.seckill.common.CrashPoint;
import io.seckill.common.message.HeldUpException;
import io.seckill.common.message.Waiting;
import io.seckill.contracts.Reservation;
import io.seckill.order.relay.Outbox;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Settles delivered reservations, at the pace operators allow.
 *
 * <p>Each ends, and is counted, as one of: repeated (its row is there and is told again), dropped
 * (its synthetic sale was removed), parked (no shard can have made it, or the database takes no row
 * of it), or one row, ordered or rejected. When the database is away it
 * throws, and the same messages come again; what was committed before is then found and told again.
 * When another transaction holds what some need, those alone come again.
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
    private final Refusals refusals;
    private final OrderBatch rows;
    private final Parking parking;
    private final Landing landing;
    private final HeldRows heldRows;
    private final Outbox outbox;
    private final OrderSn orderSn;
    private final OrderRate rate;
    private final FailFast failFast;
    private final LandingSpeed speed;
    private final Counters counters;

    BookingService(
            OrderMapper orders,
            OfferMapper offers,
            Refusals refusals,
            OrderBatch rows,
            Parking parking,
            Landing landing,
            HeldRows heldRows,
            Outbox outbox,
            OrderSn orderSn,
            OrderRate rate,
            FailFast failFast,
            LandingSpeed speed,
            Counters counters) {
        this.orders = orders;
        this.offers = offers;
        this.refusals = refusals;
        this.rows = rows;
        this.parking = parking;
        this.landing = landing;
        this.heldRows = heldRows;
        this.outbox = outbox;
        this.orderSn = orderSn;
        this.rate = rate;
        this.failFast = failFast;
        this.speed = speed;
        this.counters = counters;
    }

    /**
     * Each has ended afterwards, and is on disk. After a throw those that have not ended come
     * again: they are counted as deferred. Throws {@link HeldUpException} when all others have.
     */
    public void settle(List<Waiting<Reservation>> messages) {
        Map<String, Long> sinceMs = messages.stream()
                .collect(toMap(m -> m.message().reservationId(), Waiting::sinceMs, Math::min));
        List<Reservation> open =
                new ArrayList<>(messages.stream().map(Waiting::message).toList());
        List<Reservation> heldUp = new ArrayList<>();
        counters.add(open.size(), "seckill_reservations_total");
        try {
            tellKnown(open);
            Map<String, Offer> known = offersOf(open);
            putAside(open, known);
            holdUp(open, heldUp);
            refuse(open, known, heldUp);
            while (!open.isEmpty()) {
                book(open, sinceMs, known, heldUp);
            }
        } finally {
            int deferred = open.size() + heldUp.size();
            failFast.settled(messages.size() - deferred);
            counters.add(deferred, "seckill_deferred_total");
        }
        if (!heldUp.isEmpty()) {
            throw new HeldUpException("another transaction holds what they need", heldUp);
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

    /** Drops what is late, parks what no shard of the sale can have made. */
    private void putAside(List<Reservation> open, Map<String, Offer> known) {
        for (Iterator<Reservation> left = open.iterator(); left.hasNext(); ) {
            Reservation message = left.next();
            String place = Offer.place(message.productId(), message.shard());
            if (known.containsKey(place)) {
                continue;
            }
            if (offers.wasRemoved(message.productId())) {
                counters.count("seckill_dropped_total");
            } else {
                parking.park(message, "no sale of product " + place);
            }
            left.remove();
        }
    }

    /** Those whose row of the ledger is held: they take no permit. */
    private void holdUp(List<Reservation> open, List<Reservation> heldUp) {
        Map<String, Boolean> rowIsHeld = new HashMap<>();
        open.stream()
                .filter(r -> rowIsHeld.computeIfAbsent(
                        Offer.place(r.productId(), r.shard()),
                        place -> heldRows.isHeld(r.productId(), r.shard())))
                .forEach(heldUp::add);
        open.removeAll(heldUp);
    }

    /** Rejects at once what can be no order however long it waits. */
    private void refuse(
            List<Reservation> open, Map<String, Offer> known, List<Reservation> heldUp) {
        Map<String, Reason> why = refusals.of(open, known);
        if (!why.isEmpty()) {
            reject(open, known, heldUp, rate.tryTake(0).atMs(), r -> why.get(r.reservationId()));
        }
    }

    /**
     * Some of them: as many as there are permits for, or as are late. Who was rejected for the
     * backlog before goes first and is not rejected for it again: others have waited less.
     */
    private void book(
            List<Reservation> open,
            Map<String, Long> sinceMs,
            Map<String, Offer> known,
            List<Reservation> heldUp) {
        long lateBeforeMs = failFast.lateBeforeMs();
        List<Reservation> late =
                open.stream().filter(r -> since(sinceMs, r) < lateBeforeMs).toList();
        Set<String> before = rejectedBefore(late);
        open.sort(whoGoesFirst(before, sinceMs));
        if (late.stream().allMatch(r -> before.contains(buyer(r)))) {
            OrderRate.Permit permit = rate.take(open.size());
            land(open.subList(0, permit.count()), known, heldUp, permit.atMs(), wanted -> null);
            return;
        }
        OrderRate.Permit now = rate.tryTake(FailFast.share(open.size()));
        land(open.subList(0, now.count()), known, heldUp, now.atMs(), wanted -> null);
        reject(
                open,
                known,
                heldUp,
                now.atMs(),
                r -> since(sinceMs, r) < lateBeforeMs && !before.contains(buyer(r))
                        ? Reason.BACKLOG
                        : null);
    }

    /** Those for whom there is a reason. */
    private void reject(
            List<Reservation> open,
            Map<String, Offer> known,
            List<Reservation> heldUp,
            long nowMs,
            Function<Reservation, @Nullable Reason> why) {
        open.sort(Comparator.comparing(r -> why.apply(r) == null));
        int count = (int) open.stream().filter(r -> why.apply(r) != null).count();
        land(open.subList(0, count), known, heldUp, nowMs, why);
    }

    private static long since(Map<String, Long> sinceMs, Reservation of) {
        return requireNonNull(sinceMs.get(of.reservationId()), "it came with its time");
    }

    private static String buyer(Reservation of) {
        return OrderBatch.buyer(of.productId(), of.userId());
    }

    /** Buyers of these who were rejected for the backlog before. */
    private Set<String> rejectedBefore(List<Reservation> late) {
        return late.isEmpty()
                ? Set.of()
                : rows.buyers(
                        Reason.BACKLOG,
                        1,
                        late.stream().map(Reservation::userId).collect(toSet()));
    }

    /** Those, then who has waited longest. */
    private static Comparator<Reservation> whoGoesFirst(
            Set<String> before, Map<String, Long> sinceMs) {
        return Comparator.<Reservation, Boolean>comparing(r -> !before.contains(buyer(r)))
                .thenComparing(r -> since(sinceMs, r));
    }

    /** Those that have not landed are left in the batch, or held up. */
    private void land(
            List<Reservation> batch,
            Map<String, Offer> known,
            List<Reservation> heldUp,
            long nowMs,
            Function<Reservation, @Nullable Reason> verdict) {
        if (batch.isEmpty()) {
            return;
        }
        batch.sort(BY_LEDGER_ROW);
        IdentityHashMap<Order, Reservation> left = new IdentityHashMap<>();
        List<Order> wanted = new ArrayList<>();
        for (Reservation one : batch) {
            Order order = order(one, known, nowMs, verdict.apply(one));
            wanted.add(order);
            left.put(order, one);
        }
        long startNs = System.nanoTime();
        try {
            landing.land(
                            wanted,
                            known,
                            (bad, why) -> parking.park(requireNonNull(left.get(bad)), why),
                            landed -> {
                                landed.written().forEach(this::count);
                                outbox.nudge();
                                counters.add(landed.repeated(), "seckill_repeated_total");
                                landed.orders().forEach(left::remove);
                            })
                    .forEach(order -> heldUp.add(left.remove(order)));
        } finally {
            speed.landed(wanted.size() - left.size(), System.nanoTime() - startNs);
            batch.clear();
            batch.addAll(left.values());
        }
    }

    private Order order(
            Reservation from, Map<String, Offer> known, long nowMs, @Nullable Reason why) {
        Offer offer = Offer.of(from, known);
        Order order = Order.unpaid(orderSn.next(from.userId()), from, offer, nowMs);
        return why == null ? order : order.rejected(why, offer.epoch());
    }

    private void count(Order written) {
        CrashPoint.LANDING_COMMITTED.reached(written.productId());
        if (written.reason() == null) {
            counters.count("seckill_ordered_total");
        } else {
            counters.count("seckill_rejected_total", written.reason().name());
        }
    }

    /** Throws when the database is away. */
    public void checkReady() {
        parking.checkReady();
    }

    /** Parks what no reservation can be read from, and what has failed too often. */
    public void park(String topic, String messageId, String body, String reason) {
        parking.park(topic, messageId, body, reason);
        counters.count("seckill_reservations_total");
    }
}
