package io.seckill.flashsale.sale;

import io.seckill.contracts.Placement;
import io.seckill.quantity.QuantityStocks;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Connects anew to each shard that was opened again, which its later epoch tells.
 *
 * <p>What was opened is whoever serves the shard's address, which may be a promoted replica, while
 * this instance is still served by the old master, whose gate nobody has closed. What that one
 * sells becomes no order. One thread uses it.
 */
@Component
public final class Openings {

    private static final Logger LOG = LoggerFactory.getLogger(Openings.class);

    private final SaleCache sales;
    private final QuantityStocks shards;
    private Map<Part, Integer> epochs = Map.of();

    private record Part(String productId, int shard) {}

    Openings(SaleCache sales, QuantityStocks shards) {
        this.sales = sales;
        this.shards = shards;
    }

    /** After each reading of the sales. */
    public void look() {
        Map<Part, Integer> now = new HashMap<>();
        Set<Integer> opened = new HashSet<>();
        for (Sale sale : sales.sales()) {
            for (Placement placement : sale.placements()) {
                Part part = new Part(sale.productId(), placement.shard());
                now.put(part, placement.epoch());
                if (placement.epoch() > epochs.getOrDefault(part, placement.epoch())) {
                    opened.add(placement.shard());
                }
            }
        }
        epochs = now;
        opened.stream().filter(shard -> shard < shards.all().size()).forEach(shard -> {
            LOG.info("shard {} was opened again: connected anew", shard);
            shards.get(shard).shard().renew();
        });
    }
}
