package io.seckill.stock.recovery;

import java.util.List;

/**
 * One shard as operators see it; times are milliseconds since 1970.
 *
 * @param state OPEN: all of its products may sell; CLOSED: some may not; AWAY: it does not answer
 * @param sinceMs since when it is CLOSED or AWAY, as far as this instance knows; 0 while it is OPEN
 * @param products parts of sales that lie on it
 * @param closed those that sell nothing at present
 */
public record ShardView(int shard, State state, long sinceMs, int products, List<Closed> closed) {

    public enum State {
        OPEN,
        CLOSED,
        AWAY
    }

    /**
     * A part of a sale that sells nothing until it is taken back.
     *
     * @param epoch the ledger's
     * @param doing what is being done about it, and how long it may take
     */
    public record Closed(String productId, int epoch, long sinceMs, String why, String doing) {}
}
