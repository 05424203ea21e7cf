package io.seckill.stock.sale;

import io.seckill.common.RefusedException;
import io.seckill.contracts.Bounds;
import io.seckill.contracts.Placement;
import io.seckill.contracts.Refusal;
import io.seckill.quantity.QuantityStock;
import io.seckill.quantity.QuantityStocks;
import io.seckill.stock.Unavailable;
import io.seckill.stock.relay.CatalogRelay;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Makes a product's one sale: written, preheated, opened, published.
 *
 * <p>Each step may be repeated and goes on where the last call stopped, so an operator whose call
 * was cut off calls again. Of two creates at once the primary key lets one in; the other meets its
 * row.
 */
@Component
public final class SaleService {

    private final SaleMapper mapper;
    private final TransactionTemplate transaction;
    private final Preheater preheater;
    private final CatalogRelay relay;
    private final QuantityStocks shards;
    private final Clock clock;

    SaleService(
            SaleMapper mapper,
            TransactionTemplate transaction,
            Preheater preheater,
            CatalogRelay relay,
            QuantityStocks shards,
            Clock clock) {
        this.mapper = mapper;
        this.transaction = transaction;
        this.preheater = preheater;
        this.relay = relay;
        this.shards = shards;
        this.clock = clock;
    }

    /** An open sale, and whether this call wrote it. */
    public record Outcome(Sale sale, boolean created) {}

    /** The sale as asked; BAD_REQUEST, SALE_CONFLICT, or BUSY: call again. */
    public Outcome create(SaleRequest request) {
        request.refuseEndBeforeStart();
        request.refuseWarmUp();
        return Unavailable.named(() -> {
            Optional<Sale> found = mapper.find(request.productId());
            boolean created = found.isEmpty() && insert(request);
            Sale sale = found.orElseGet(() -> mapper.find(request.productId()).orElseThrow());
            refuseOtherNumbers(request, sale);
            refuseRemoved(request, sale.isBeingRemoved());
            Sale open = preheater.open(sale);
            relay.publish(List.of(open));
            return new Outcome(open, created);
        });
    }

    /**
     * False when another call was first. One call at a time, so that an instance never exceeds the
     * bound; two instances may, by one, which edge and flash-sale-service bear.
     */
    private synchronized boolean insert(SaleRequest request) {
        refuseOneTooMany(request);
        refuseRemoved(request, mapper.wasRemoved(request.productId()));
        Sale sale = request.sale(clock.millis(), placesForNew());
        List<Placement> placements = sale.placements();
        List<Long> allocations = Split.evenly(sale.stockTotal(), placements.size());
        try {
            transaction.executeWithoutResult(status -> {
                mapper.insert(sale);
                for (int i = 0; i < allocations.size(); i++) {
                    mapper.insertAllocation(
                            sale.productId(), placements.get(i), allocations.get(i));
                }
            });
            return true;
        } catch (DuplicateKeyException e) {
            return false;
        }
    }

    private List<Integer> placesForNew() {
        List<Integer> retired = mapper.retired();
        return shards.all().stream()
                .map(QuantityStock::index)
                .filter(shard -> !retired.contains(shard))
                .toList();
    }

    private void refuseOneTooMany(SaleRequest request) {
        if (mapper.count() >= Bounds.SALES && mapper.find(request.productId()).isEmpty()) {
            throw new RefusedException(
                    Refusal.SALE_CONFLICT,
                    "There are " + Bounds.SALES
                            + " sales, the most there may be; ended ones count too");
        }
    }

    /** A message of the earlier sale would be taken for one of the new. */
    private static void refuseRemoved(SaleRequest request, boolean isRemoved) {
        if (isRemoved) {
            throw new RefusedException(
                    Refusal.SALE_CONFLICT,
                    "The synthetic sale of " + request.productId()
                            + " was removed; use another product id");
        }
    }

    private static void refuseOtherNumbers(SaleRequest request, Sale sale) {
        List<String> differences = request.differences(sale);
        if (!differences.isEmpty()) {
            throw new RefusedException(
                    Refusal.SALE_CONFLICT,
                    "The sale of " + sale.productId()
                            + " exists with other numbers: " + String.join("; ", differences)
                            + ". A product has one sale, also after its end; use another product id");
        }
    }
}
