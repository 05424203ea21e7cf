package io.seckill.stock.recovery;

import io.seckill.common.Counters;
import io.seckill.common.CrashPoint;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Proof that a shard lost something of a product: its ledger becomes RECOVERING, which only a
 * rebuild ends. One conditional statement, so of several who find the same at once one acts, says
 * so in the log and counts; nobody does where the shard is in another epoch by now.
 */
@Component
public final class Losses {

    private static final Logger LOG = LoggerFactory.getLogger(Losses.class);

    private final LossMapper ledger;
    private final Counters counters;

    Losses(LossMapper ledger, Counters counters) {
        this.ledger = ledger;
        this.counters = counters;
    }

    /**
     * What a shard proved to have lost.
     *
     * @param epoch that of its stock when it did
     */
    public record Loss(String productId, int shard, int epoch) {}

    /**
     * Has the shard rebuilt.
     *
     * @param kind what was found, a value of the counter's label
     */
    public void found(String kind, Loss loss) {
        if (ledger.recover(loss)) {
            CrashPoint.LOSS_RECORDED.reached(loss.productId());
            LOG.warn("a shard lost something ({}) and is rebuilt: {}", kind, loss);
            counters.count("seckill_differences_total", kind);
            counters.count("seckill_lost_total");
        }
    }
}
