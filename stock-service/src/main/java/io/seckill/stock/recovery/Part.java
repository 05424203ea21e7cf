package io.seckill.stock.recovery;

import io.seckill.contracts.Placement;
import io.seckill.quantity.ShardState;

import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One shard's part of a sale as the ledger has it: a row of {@code shard_ledger}.
 */
record Part(
        String productId,
        int shard,
        long allocated,
        long sold,
        int epoch,
        long lastSeq,
        Placement.State state) {

    /** Nothing is wrong with it, as far as one look can tell. */
    boolean isOpen(ShardState found) {
        return state == Placement.State.OPEN
                && found.isOpen()
                && found.stock().orElseThrow().epoch() == epoch;
    }

    /**
     * Why what was found may not go on; empty: it has lost nothing that anybody knows of.
     *
     * @param returned units whose return the shard is known to have taken since its last rebuild
     */
    Optional<String> objection(ShardState found, LongSupplier returned) {
        if (state != Placement.State.OPEN) {
            return Optional.of("it is known to have lost something, or a rebuild has not ended");
        }
        if (found.stock().isEmpty()) {
            return Optional.of("its stock is missing or damaged");
        }
        var stock = found.stock().get();
        if (stock.epoch() != epoch) {
            return Optional.of("its epoch is " + stock.epoch() + ", the ledger's " + epoch);
        }
        if (stock.seq() < lastSeq) {
            return Optional.of("its seq is " + stock.seq() + ", but " + lastSeq + " was seen");
        }
        if (stock.init() != allocated) {
            return Optional.of("it has " + stock.init() + " units of " + allocated + " allocated");
        }
        if (stock.init() - stock.deducted() + stock.returned() != stock.available()) {
            return Optional.of("its counters do not add up");
        }
        long known = returned.getAsLong();
        return stock.returned() >= known
                ? Optional.empty()
                : Optional.of(stock.returned() + " units came back to it, but " + known
                        + " are known to have");
    }

    @Override
    public String toString() {
        return "shard " + shard + ", product " + productId;
    }
}
