package io.seckill.quantity;

import java.util.List;
import java.util.Optional;

/**
 * What recovery has to know of a product in one shard.
 *
 * @param identity of the Redis that answered: another one after each start and promotion
 * @param openFor the identity whose data was compared with the books; empty: none was
 * @param stock empty when a counter is missing or damaged, or a key of the product is of a wrong
 *     type, and while it is rebuilt
 * @param rebuilt the epoch of the latest rebuild; 0 without stock
 * @param building the epoch for which it is being rebuilt; 0: it is not
 * @param outboxLength entries that are not handed over
 */
public record ShardState(
        String identity,
        String openFor,
        Optional<StockCount> stock,
        int rebuilt,
        int building,
        long outboxLength) {

    public boolean isOpen() {
        return stock.isPresent() && identity.equals(openFor);
    }

    @SuppressWarnings("unchecked")
    static ShardState of(List<?> reply) {
        List<String> counters = (List<String>) reply.get(2);
        boolean whole = counters.stream().noneMatch(String::isEmpty);
        String building = (String) reply.get(3);
        return new ShardState(
                (String) reply.get(0),
                (String) reply.get(1),
                whole ? StockCount.of(counters) : Optional.empty(),
                whole ? Integer.parseInt(counters.get(StockCount.FIELDS.length)) : 0,
                building.isEmpty() ? 0 : Integer.parseInt(building),
                (long) reply.get(4));
    }
}
