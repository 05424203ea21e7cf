package io.seckill.stock.query;

import java.util.List;

/**
 * The books of one product, in units but for the last five counts.
 *
 * @param duplicateBuyers users with more than one live order or held reservation
 * @param oversold units of live orders beyond the stock
 * @param reservationsWithoutOrder held in a shard, without a live order of that shard
 * @param lostReservations those of them that cannot be on their way: at least so many are lost; 0
 *     while it is unknown what is on its way
 * @param unexpectedOrders live, without a held reservation in the order's shard
 * @param differences every equation that does not hold, with its numbers
 */
record ProductBooks(
        String productId,
        long stockTotal,
        List<ShardBooks> shards,
        long liveOrders,
        long duplicateBuyers,
        long oversold,
        long reservationsWithoutOrder,
        long lostReservations,
        long unexpectedOrders,
        List<String> differences) {

    /** One shard's share; {@code reserved} is held by buyers, {@code liveOrders} has an order. */
    record ShardBooks(
            int shard,
            long allocated,
            long available,
            long liveOrders,
            long reserved,
            long returned) {}
}
