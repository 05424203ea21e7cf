package io.seckill.order;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.seckill.common.mq.MessageSender;
import io.seckill.common.mq.MessageSender.Outgoing;
import io.seckill.contracts.Json;
import io.seckill.contracts.OrderEvent;
import io.seckill.contracts.StockReturn;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Messages decided in a transaction and sent after it.
 *
 * <p>A row is written with what it tells of, and deleted only when the broker has confirmed it: a
 * crash anywhere in between sends a message twice and loses none. Two instances that relay at once
 * do the same; consumers take duplicates. The table is bounded by two rows per order not yet told
 * and one per redelivery.
 */
@Component
class Outbox {

    private final OutboxMapper rows;
    private final MessageSender sender;
    private final Clock clock;

    Outbox(OutboxMapper rows, MessageSender sender, Clock clock) {
        this.rows = rows;
        this.sender = sender;
        this.clock = clock;
    }

    /** Joins the caller's transaction. */
    void tell(OrderEvent event) {
        rows.insert(OrderEvent.TOPIC, List.of(outgoing(event)), clock.millis());
    }

    /** Tells of known orders (at least one) what became of them, in one statement. */
    void tellAgain(List<Order> known) {
        rows.insert(
                OrderEvent.TOPIC,
                known.stream().map(Order::event).map(Outbox::outgoing).toList(),
                clock.millis());
    }

    /** Joins the caller's transaction. */
    void giveBack(StockReturn units) {
        Outgoing message = new Outgoing(units.reservationId(), Json.write(units));
        rows.insert(StockReturn.TOPIC, List.of(message), clock.millis());
    }

    private static Outgoing outgoing(OrderEvent event) {
        return new Outgoing(event.reservationId(), Json.write(event));
    }

    /**
     * Sends the oldest rows. True: there may be more. Throws when the broker did not confirm all.
     */
    boolean relay() {
        List<OutboxMapper.Row> oldest = rows.oldest(MessageSender.MAX_BATCH);
        Map<String, List<OutboxMapper.Row>> byTopic = oldest.stream()
                .collect(groupingBy(OutboxMapper.Row::topic, LinkedHashMap::new, toList()));
        List<String> late = byTopic.keySet().stream()
                .filter(topic -> !sent(topic, byTopic.get(topic)))
                .toList();
        if (!late.isEmpty()) {
            throw new IllegalStateException("not confirmed by the broker: messages for " + late);
        }
        return oldest.size() == MessageSender.MAX_BATCH;
    }

    private boolean sent(String topic, List<OutboxMapper.Row> messages) {
        boolean confirmed =
                sender.send(topic, messages.stream().map(Outbox::message).toList());
        if (confirmed) {
            rows.delete(messages.stream().map(OutboxMapper.Row::id).toList());
        }
        return confirmed;
    }

    private static Outgoing message(OutboxMapper.Row row) {
        return new Outgoing(row.messageKey(), row.body());
    }
}
