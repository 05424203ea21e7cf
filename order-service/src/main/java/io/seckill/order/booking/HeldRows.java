package io.seckill.order.booking;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Ledger rows that another transaction held for longer than a wait for a lock takes. Their
 * reservations are held up without another wait, so that all others go on, until a look, which
 * itself never waits, finds the row free.
 *
 * <p>A look may meet a transaction that only passes: what is held up for it looks again soon. Rows
 * of which nothing comes again are looked at all the same: their sale was removed, or another
 * instance has their messages.
 */
@Component
final class HeldRows {

    /** If there are more all are forgotten, and each costs a wait to be found again. */
    private static final int MOST = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(HeldRows.class);

    private final LedgerMapper ledger;
    private final Set<Row> rows = ConcurrentHashMap.newKeySet();

    private record Row(String productId, int shard) {

        @Override
        public String toString() {
            return Offer.place(productId, shard);
        }
    }

    HeldRows(LedgerMapper ledger) {
        this.ledger = ledger;
    }

    /** Whether the row, for which somebody waited in vain, is held; it is remembered then. */
    boolean learn(String productId, int shard) {
        Row row = new Row(productId, shard);
        boolean held = isHeldNow(row);
        if (held && rows.size() >= MOST) {
            rows.clear();
        }
        if (held && rows.add(row)) {
            LOG.warn(
                    "another transaction holds the ledger's row of {}: its reservations wait", row);
        }
        return held;
    }

    /** Whether the row was found held, and is. */
    boolean isHeld(String productId, int shard) {
        Row row = new Row(productId, shard);
        return rows.contains(row) && isStillHeld(row);
    }

    /** At all that were found held. Throws while the database is away. */
    void look() {
        rows.forEach(this::isStillHeld);
    }

    private boolean isStillHeld(Row row) {
        boolean held = isHeldNow(row);
        if (!held && rows.remove(row)) {
            LOG.info("the ledger's row of {} is free again", row);
        }
        return held;
    }

    /** One that is gone is held by nobody. */
    private boolean isHeldNow(Row row) {
        return ledger.free(row.productId(), row.shard()).isEmpty()
                && ledger.exists(row.productId(), row.shard());
    }

    int count() {
        return rows.size();
    }
}
