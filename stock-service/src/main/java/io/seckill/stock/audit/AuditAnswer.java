package io.seckill.stock.audit;

import java.util.List;

/**
 * The answer of {@code GET /admin/audit}.
 *
 * @param pending what is still on its way; while it is not zero the books of a healthy system may
 *     differ for a moment
 */
record AuditAnswer(boolean balanced, List<ProductBooks> products, Pending pending) {

    /**
     * Units on their way.
     *
     * @param outboxEntries reservations no relay has handed over
     * @param orderOutbox messages order-service has not handed over, of all products
     * @param returns closed orders whose units have not reached their shard, WAITING ones included
     */
    record Pending(long outboxEntries, long orderOutbox, long returns) {

        Pending plus(Facts facts) {
            return new Pending(
                    outboxEntries + facts.outboxEntries(),
                    orderOutbox,
                    returns + facts.returnsNotDone());
        }
    }
}
