package io.seckill.flashsale;

import io.seckill.common.RefusedException;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.OrderEvent.Status;
import io.seckill.contracts.Refusal;
import io.seckill.shard.Shards;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Tells a buyer what became of the try.
 *
 * <p>The reservation held decides: its result, or PENDING while there is none. Nothing held: a live
 * order (there is at most one), else the newest result, else SOLD_OUT or NONE. The mark is read
 * before the results and a result of a reservation never goes back, so that what a buyer sees of
 * one reservation is monotone: PENDING, then ORDERED or REJECTED, then perhaps CANCELLED.
 */
@Component
final class BuyerResults {

    private final Sales sales;
    private final Shards shards;
    private final Holders holders;
    private final ResultStore results;

    BuyerResults(Sales sales, Shards shards, Holders holders, ResultStore results) {
        this.sales = sales;
        this.shards = shards;
        this.holders = holders;
        this.results = results;
    }

    /** Refuses NO_SUCH_SALE, and BUSY when a silent shard may hold the answer. */
    Map<String, Object> result(String userId, String productId) {
        Sale sale = sales.get(productId);
        Holders.Found held =
                holders.find(shards.ring(userId, sale.shardCount()), productId, userId);
        List<OrderEvent> events = results.read(productId, userId);
        if (held.reservationId().isPresent()) {
            return ofReservation(held.reservationId().get(), events);
        }
        if (!held.complete() && events.stream().noneMatch(BuyerResults::isLive)) {
            throw new RefusedException(Refusal.BUSY);
        }
        return events.stream()
                .max(Comparator.comparing(BuyerResults::isLive)
                        .thenComparing(OrderEvent::reservedAtMs))
                .map(BuyerResults::answer)
                .orElseGet(() -> status(sale.soldOut() ? "SOLD_OUT" : "NONE"));
    }

    private static Map<String, Object> ofReservation(String id, List<OrderEvent> events) {
        return events.stream()
                .filter(event -> event.reservationId().equals(id))
                .findFirst()
                .map(BuyerResults::answer)
                .orElseGet(() -> status("PENDING"));
    }

    private static Map<String, Object> answer(OrderEvent event) {
        String reason = String.valueOf(event.reason());
        String status = event.status().name();
        return switch (event.status()) {
            case ORDERED -> Map.of("status", status, "orderSn", event.orderSn(),
                    "payBy", Instant.ofEpochMilli(event.payByMs()).toString());
            case REJECTED -> Map.of("status", status, "reason", reason);
            case CANCELLED -> Map.of("status", status, "orderSn", event.orderSn(),
                    "reason", reason);
        };
    }

    private static boolean isLive(OrderEvent event) {
        return event.status() == Status.ORDERED;
    }

    private static Map<String, Object> status(String status) {
        return Map.of("status", status);
    }
}
