package io.seckill.flashsale.sale;

import io.seckill.contracts.Placement;
import io.seckill.contracts.PublishedSale;
import io.seckill.contracts.Refusal;
import io.seckill.flashsale.Outcome;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The facts of a sale that decide about an attempt, as stock-service wrote them. */
public record Sale(
        String productId,
        long startAtMs,
        long endAtMs,
        int perUserLimit,
        List<Placement> placements,
        boolean soldOut,
        boolean synthetic) {

    /** Throws IllegalArgumentException naming the field that is missing or wrong. */
    static Sale of(String productId, Map<String, String> fields) {
        PublishedSale sale = PublishedSale.of(fields);
        if (!sale.productId().equals(productId)) {
            throw new IllegalArgumentException("bad product_id: " + sale.productId());
        }
        return new Sale(
                productId,
                sale.startAtMs(),
                sale.endAtMs(),
                sale.perUserLimit(),
                sale.placements(),
                sale.soldOut(),
                sale.synthetic());
    }

    /** This sale while it runs; refused with NOT_STARTED and ENDED. */
    public Outcome<Sale> ifOpen(long nowMs) {
        return closed(nowMs).<Outcome<Sale>>map(Outcome::refused).orElseGet(() -> Outcome.of(this));
    }

    /** That shard was given up: it never answers again, or does not matter. */
    public boolean isRetiredAt(int shard) {
        return placements.stream()
                .anyMatch(placement ->
                        placement.shard() == shard && placement.state() == Placement.State.RETIRED);
    }

    /** Why nobody may try at this time; empty from the start up to, not including, the end. */
    Optional<Refusal> closed(long nowMs) {
        if (nowMs < startAtMs) {
            return Optional.of(Refusal.NOT_STARTED);
        }
        return nowMs < endAtMs ? Optional.empty() : Optional.of(Refusal.ENDED);
    }
}
