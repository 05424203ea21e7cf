package io.seckill.order.relay;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.seckill.common.message.MessageSender;
import io.seckill.common.message.MessageSender.Outgoing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Sends the rows of the outbox.
 *
 * <p>A row is written with what it tells of, and deleted only when the broker has confirmed it: a
 * crash anywhere in between sends a message twice and loses none. Two instances that relay at once
 * do the same; consumers take duplicates.
 */
@Component
final class OutboxRelay {

    private final OutboxRows rows;
    private final MessageSender sender;

    OutboxRelay(OutboxRows rows, MessageSender sender) {
        this.rows = rows;
        this.sender = sender;
    }

    /**
     * Sends the oldest rows. True: there may be more. Throws when the broker did not confirm all.
     */
    boolean relay() {
        List<OutboxRows.Row> oldest = rows.oldest(MessageSender.MAX_BATCH);
        Map<String, List<OutboxRows.Row>> byTopic = oldest.stream()
                .collect(groupingBy(OutboxRows.Row::topic, LinkedHashMap::new, toList()));
        List<String> late = byTopic.entrySet().stream()
                .filter(batch -> !sent(batch.getKey(), batch.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        if (!late.isEmpty()) {
            throw new IllegalStateException("not confirmed by the broker: messages for " + late);
        }
        return oldest.size() == MessageSender.MAX_BATCH;
    }

    private boolean sent(String topic, List<OutboxRows.Row> messages) {
        boolean confirmed =
                sender.send(topic, messages.stream().map(OutboxRelay::message).toList());
        if (confirmed) {
            rows.delete(messages.stream().map(OutboxRows.Row::id).toList());
        }
        return confirmed;
    }

    private static Outgoing message(OutboxRows.Row row) {
        return new Outgoing(row.messageKey(), row.body());
    }
}
