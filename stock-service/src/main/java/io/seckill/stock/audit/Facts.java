package io.seckill.stock.audit;

import io.seckill.shard.Books;
import io.seckill.stock.sale.Part;
import io.seckill.stock.sale.Sale;
import java.util.List;

/**
 * Everything known of one product.
 *
 * @param parts its rows of the ledger
 * @param shards what each shard holds, by number
 */
record Facts(
        Sale sale,
        List<Part> parts,
        List<Books> shards,
        List<LiveOrder> liveOrders,
        long returnsNotDone) {

    List<LiveOrder> liveOrders(int shard) {
        return liveOrders.stream().filter(order -> order.shard() == shard).toList();
    }

    long liveUnits() {
        return units(liveOrders);
    }

    static long units(List<LiveOrder> orders) {
        return orders.stream().mapToLong(LiveOrder::quantity).sum();
    }

    /** Entries in the outboxes of the shards. */
    long outboxEntries() {
        return shards.stream().mapToLong(Books::outboxLength).sum();
    }
}
