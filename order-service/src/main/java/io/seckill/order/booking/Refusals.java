package io.seckill.order.booking;

import static java.util.stream.Collectors.toSet;

import io.seckill.contracts.Limits;
import io.seckill.contracts.Reservation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Which reservations can be no order however long they wait, and why.
 *
 * <p>A buyer who never pays would hold units for as long as the sale lasts, one order after the
 * other: who has let {@code order.unpaid_count} orders of a sale expire gets no other of it. The
 * count is read before the order is written; as a user has one live order of a product at most, at
 * most one that expires in between is missed.
 */
@Component
final class Refusals {

    private final OpeningMapper openings;
    private final OrderBatch rows;
    private final OrderLimits limits;

    Refusals(OpeningMapper openings, OrderBatch rows, OrderLimits limits) {
        this.openings = openings;
        this.rows = rows;
        this.limits = limits;
    }

    /** By reservation id. Each reservation has an offer. */
    Map<String, Reason> of(List<Reservation> messages, Map<String, Offer> known) {
        if (messages.isEmpty()) {
            return Map.of();
        }
        Set<String> leavers = rows.buyers(
                Reason.PAY_TIMEOUT,
                limits.of(Limits.ORDER_UNPAID_COUNT),
                messages.stream().map(Reservation::userId).collect(toSet()));
        Map<String, Reason> why = new HashMap<>();
        for (Reservation message : messages) {
            refusal(message, Offer.of(message, known), leavers)
                    .ifPresent(reason -> why.put(message.reservationId(), reason));
        }
        return why;
    }

    /** No opening is later than the ledger's epoch, so a reservation of that has lost nothing. */
    private Optional<Reason> refusal(Reservation message, Offer offer, Set<String> leavers) {
        if (message.epoch() < offer.epoch() && openings.lost(message)) {
            return Optional.of(Reason.LOST);
        }
        if (message.quantity() > offer.perUserLimit()) {
            return Optional.of(Reason.INVALID);
        }
        return leavers.contains(OrderBatch.buyer(message.productId(), message.userId()))
                ? Optional.of(Reason.LEFT_UNPAID)
                : Optional.empty();
    }
}
