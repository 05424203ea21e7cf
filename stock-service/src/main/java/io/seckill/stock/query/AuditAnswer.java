package io.seckill.stock.query;

import java.util.List;
import java.util.OptionalLong;

/**
 * The answer of {@code GET /admin/audit}.
 *
 * @param pending what is still on its way; while it is not zero the books of a healthy system may
 *     differ for a moment
 */
public record AuditAnswer(boolean balanced, List<ProductBooks> products, Pending pending) {

    /**
     * What is on its way, in the order of the way. A return is counted at each step it has before
     * it: as a message, and in {@code returns} until it is done.
     *
     * @param outboxEntries reservations no relay has handed over
     * @param reservationMessages those order-service has not acknowledged, of all products, as
     *     RocketMQ knows it: up to 5 s late, so perhaps too many; empty (null) is unknown
     * @param orderOutbox messages order-service has not handed over, of all products
     * @param returnMessages those this service has not acknowledged, known in the same way
     * @param returns closed orders whose units have not reached their shard, WAITING ones included
     */
    record Pending(
            long outboxEntries,
            OptionalLong reservationMessages,
            long orderOutbox,
            OptionalLong returnMessages,
            long returns) {

        static Pending of(long orderOutbox) {
            return new Pending(0, OptionalLong.of(0), orderOutbox, OptionalLong.of(0), 0);
        }

        Pending plus(Facts facts) {
            Queued queued = queued().max(facts.queued());
            return new Pending(
                    outboxEntries + facts.outboxEntries(),
                    queued.reservationMessages(),
                    orderOutbox,
                    queued.returnMessages(),
                    returns + facts.returnsNotDone());
        }

        Queued queued() {
            return new Queued(reservationMessages, returnMessages);
        }
    }
}
