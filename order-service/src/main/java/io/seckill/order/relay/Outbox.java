package io.seckill.order.relay;

import io.seckill.common.Loop;
import io.seckill.common.message.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.StockReturn;
import java.time.Clock;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Messages decided in a transaction, for {@link OutboxRelay} to send after it.
 *
 * <p>The table is bounded by two messages per order not yet told and one per redelivery.
 */
@Component
public final class Outbox {

    private final OutboxRows rows;
    private final Loop outboxLoop;
    private final Clock clock;

    Outbox(OutboxRows rows, Loop outboxLoop, Clock clock) {
        this.rows = rows;
        this.outboxLoop = outboxLoop;
        this.clock = clock;
    }

    /** Joins the caller's transaction. */
    public void tell(OrderEvent event) {
        tell(List.of(event));
    }

    /** Tells of at least one order in one statement. Joins the caller's transaction, if any. */
    public void tell(List<OrderEvent> events) {
        rows.insert(
                OrderEvent.TOPIC,
                events.stream()
                        .map(event -> new Outgoing(event.reservationId(), Json.write(event)))
                        .toList(),
                clock.millis());
    }

    /**
     * Gives units of any number of orders back in one statement. Joins the caller's transaction.
     */
    public void giveBack(List<StockReturn> units) {
        if (units.isEmpty()) {
            return;
        }
        rows.insert(
                StockReturn.TOPIC,
                units.stream()
                        .map(one -> new Outgoing(one.reservationId(), Json.write(one)))
                        .toList(),
                clock.millis());
    }

    /** What was committed is sent now instead of at the relay's next round. */
    public void nudge() {
        outboxLoop.nudge();
    }
}
