package io.seckill.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.Waiting;
import io.seckill.contracts.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * A batch as the broker delivered it, told apart once: what can be read, and what must be parked.
 */
final class Delivery<T> {

    private final String topic;
    private final List<Waiting<T>> readable = new ArrayList<>();
    private final Deque<Unreadable> unreadable = new ArrayDeque<>();

    private record Unreadable(String messageId, String body, String reason) {}

    Delivery(String topic, Class<T> type, List<MessageExt> messages) {
        this.topic = topic;
        for (MessageExt message : messages) {
            String body = new String(message.getBody(), UTF_8);
            try {
                readable.add(new Waiting<>(Json.read(body, type), message.getStoreTimestamp()));
            } catch (IllegalArgumentException e) {
                unreadable.add(
                        new Unreadable(message.getMsgId(), body, String.valueOf(e.getMessage())));
            }
        }
    }

    /** May be called again after the handler threw: what was parked is not parked twice. */
    void to(MessageHandler<T> handler) {
        while (!unreadable.isEmpty()) {
            Unreadable next = unreadable.peek();
            handler.park(topic, next.messageId(), next.body(), next.reason());
            unreadable.remove();
        }
        if (!readable.isEmpty()) {
            handler.handleWaiting(readable);
        }
    }

    int size() {
        return readable.size() + unreadable.size();
    }
}
