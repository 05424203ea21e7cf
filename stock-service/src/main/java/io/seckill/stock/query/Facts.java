package io.seckill.stock.query;

import io.seckill.quantity.Books;
import io.seckill.stock.sale.Allocation;
import io.seckill.stock.sale.Sale;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Everything known of one product, in the order in which it was read.
 *
 * @param allocations its rows of the ledger
 * @param shards what each shard holds, by number
 * @param queued what waits in RocketMQ, of all products
 */
record Facts(
        Sale sale,
        List<Allocation> allocations,
        Map<Integer, Books> shards,
        Queued queued,
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
        return shards.values().stream().mapToLong(Books::outboxLength).sum();
    }

    /**
     * At most so many reservations are held without a live order because their order, or their
     * return, is still on its way. A return's message is not counted beside the return.
     */
    OptionalLong onTheirWay() {
        return queued.reservationMessages().isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(outboxEntries()
                        + queued.reservationMessages().getAsLong()
                        + returnsNotDone);
    }
}
