package io.seckill.order.booking;

import io.seckill.common.Counters;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Ledger rows that were found full: their shards sold what they did not have, so they lost
 * something and are rebuilt. What is said and counted is committed.
 */
@Component
final class Overdrafts {

    private static final Logger LOG = LoggerFactory.getLogger(Overdrafts.class);

    private final LedgerMapper ledger;
    private final Counters counters;

    Overdrafts(LedgerMapper ledger, Counters counters) {
        this.ledger = ledger;
        this.counters = counters;
    }

    /** Joins the caller's transaction. */
    void found(Order refused) {
        boolean isNew = ledger.distrust(refused);
        Transactions.afterCommit(() -> count(refused, isNew));
    }

    private void count(Order refused, boolean isNew) {
        counters.count("seckill_ledger_full_total");
        counters.count(isNew ? "seckill_lost_total" : "seckill_lost_known_total");
        if (isNew) {
            LOG.warn(
                    "shard {} sold more of product {} than its ledger has and is rebuilt:"
                            + " reservation {}, epoch {}",
                    refused.shard(),
                    refused.productId(),
                    refused.reservationId(),
                    refused.epoch());
        }
    }
}
