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
 * <p>A look may meet a transaction that only passes: what is held up for it looks again soon.
 */
@Component
final class HeldRows {

    /** If there are more all are forgotten, and each costs a wait to be found again. */
    private static final int MOST = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(HeldRows.class);

    private final LedgerMapper ledger;
    private final Set<String> places = ConcurrentHashMap.newKeySet();

    HeldRows(LedgerMapper ledger) {
        this.ledger = ledger;
    }

    /** Whether the row, for which somebody waited in vain, is held; it is remembered then. */
    boolean learn(String productId, int shard) {
        boolean held = ledger.free(productId, shard).isEmpty();
        if (held && places.size() >= MOST) {
            places.clear();
        }
        if (held && places.add(Offer.place(productId, shard))) {
            LOG.warn(
                    "another transaction holds the ledger's row of {}: its reservations wait",
                    Offer.place(productId, shard));
        }
        return held;
    }

    /** Whether the row was found held, and is. */
    boolean isHeld(String productId, int shard) {
        String place = Offer.place(productId, shard);
        if (!places.contains(place)) {
            return false;
        }
        boolean held = ledger.free(productId, shard).isEmpty();
        if (!held && places.remove(place)) {
            LOG.info("the ledger's row of {} is free again", place);
        }
        return held;
    }

    int count() {
        return places.size();
    }
}
