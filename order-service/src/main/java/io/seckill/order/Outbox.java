package io.seckill.order;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.seckill.common.mq.MessageSender;
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
 * do the same; consumers take duplicates. The table is bounded by two rows per order not yet told.
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
        add(OrderEvent.TOPIC, event.reservationId(), event);
    }

    /** Joins the caller's transaction. */
    void giveBack(StockReturn units) {
        add(StockReturn.TOPIC, units.reservationId(), units);
    }

    private void add(String topic, String key, Object body) {
        rows.insert(topic, key, Json.write(body), clock.millis());
    }

    /**
     * Sends the oldest rows. True: there may be more. Throws when the broker did not confirm all.
     */
    boolean relay() {
        List<OutboxMapper.Row> oldest = rows.oldest(MessageSender.MAX_BATCH);
        Map<String, List<OutboxMapper.Row>> byTopic = oldest.stream()
                .collect(groupingBy(OutboxMapper.Row::topic, LinkedHashMap::new, toList()));
        List<String> late = byTopic.keySet().stream()
                .filter(topic -> !sent(topic, byTopic.get(topic))).toList();
        if (!late.isEmpty()) {
            throw new IllegalStateException("not confirmed by the broker: messages for " + late);
        }
        return oldest.size() == MessageSender.MAX_BATCH;
    }

    private boolean sent(String topic, List<OutboxMapper.Row> messages) {
        boolean confirmed = sender.send(topic, messages.stream().map(Outbox::outgoing).toList());
        if (confirmed) {
            rows.delete(messages.stream().map(OutboxMapper.Row::id).toList());
        }
        return confirmed;
    }

    private static MessageSender.Outgoing outgoing(OutboxMapper.Row row) {
        return new MessageSender.Outgoing(row.messageKey(), row.body());
    }
}
