package io.seckill.quantity;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A product's units in one shard: {@code init - deducted + returned = available}, and {@code
 * deducted - returned - burned} are held by buyers.
 *
 * @param epoch which life of the product's units in this shard
 * @param seq how many reserves have taken units in this shard, given back or not
 */
public record StockCount(
        long available, long init, long deducted, long returned, long burned, int epoch, long seq) {

    static final String[] FIELDS = {
        "available", "init", "deducted", "returned", "burned", "epoch", "seq"
    };

    /** Reads the values of {@link #FIELDS}; all missing means the product was never loaded here. */
    static Optional<StockCount> of(List<String> values) {
        if (values.stream().allMatch(Objects::isNull)) {
            return Optional.empty();
        }
        return Optional.of(new StockCount(
                Long.parseLong(values.get(0)),
                Long.parseLong(values.get(1)),
                Long.parseLong(values.get(2)),
                Long.parseLong(values.get(3)),
                Long.parseLong(values.get(4)),
                Integer.parseInt(values.get(5)),
                Long.parseLong(values.get(6))));
    }
}
