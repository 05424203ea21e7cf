package io.seckill.stock.recovery;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One shard as operators see it; times are milliseconds since 1970.
 *
 * @param state OPEN: all of its products may sell; CLOSED: some may not; AWAY: it does not answer
 * @param sinceMs since when it is CLOSED or AWAY, as far as this instance knows; 0 while it is OPEN
 * @param why what asking it failed with; empty unless it is AWAY
 * @param products parts of sales that lie on it
 * @param parts those, by product
 */
public record ShardView(
        int shard, State state, long sinceMs, String why, int products, List<PartView> parts) {

    public enum State {
        OPEN,
        CLOSED,
        AWAY
    }

    /**
     * What a shard's gate compares, the replication ids of two Redises: it lets through while they
     * are the same.
     *
     * @param openFor the one whose data was compared with the books; empty: none was
     * @param identity the one that answers
     */
    public record Gate(String openFor, String identity) {}

    /**
     * A part of a sale; one that is CLOSED sells nothing until it is taken back.
     *
     * @param epoch the ledger's
     * @param gate null while the shard is AWAY
     * @param sinceMs since when it is not OPEN; 0 while it is
     * @param why it is CLOSED
     * @param doing what is being done about that, or what has to be done by people
     * @param remainingMs how long a rebuild will yet take at the pace it has had; null: none runs
     */
    public record PartView(
            String productId,
            int epoch,
            State state,
            @Nullable Gate gate,
            long sinceMs,
            String why,
            String doing,
            @Nullable Long remainingMs) {

        PartView opened(int epoch) {
            Gate open = gate == null ? null : new Gate(gate.identity(), gate.identity());
            return new PartView(productId, epoch, State.OPEN, open, 0, "", "", null);
        }

        PartView doing(String what, @Nullable Long remainingMs) {
            return new PartView(productId, epoch, state, gate, sinceMs, why, what, remainingMs);
        }
    }

    long closedParts() {
        return parts.stream().filter(part -> part.state() == State.CLOSED).count();
    }
}
