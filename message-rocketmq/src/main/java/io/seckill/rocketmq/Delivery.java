package io.seckill.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.seckill.common.message.MessageHandler;
import io.seckill.common.message.Waiting;
import io.seckill.contracts.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.rocketmq.common.message.MessageClientExt;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * A batch as the broker delivered it, or a part of it, told apart once: what can be read and
 * believed, and what must be parked.
 */
final class Delivery<T> {

    private final String topic;
    private final List<Letter<T>> readable;
    private final Deque<Parked> unreadable;
    private int failures;

    private record Letter<T>(MessageExt raw, T message) {

        Waiting<T> waiting() {
            return new Waiting<>(message, raw.getStoreTimestamp());
        }
    }

    private record Parked(MessageExt raw, String reason) {

        void to(MessageHandler<?> handler, String topic) {
            handler.park(topic, id(raw), text(raw), reason);
        }
    }

    Delivery(String topic, Class<T> type, MessageHandler<T> handler, List<MessageExt> messages) {
        this(topic, new ArrayList<>(), List.of());
        for (MessageExt raw : messages) {
            try {
                T message = Json.read(text(raw), type);
                handler.check(message);
                readable.add(new Letter<>(raw, message));
            } catch (IllegalArgumentException e) {
                unreadable.add(new Parked(raw, String.valueOf(e.getMessage())));
            }
        }
    }

    private Delivery(String topic, List<Letter<T>> readable, Collection<Parked> unreadable) {
        this.topic = topic;
        this.readable = readable;
        this.unreadable = new ArrayDeque<>(unreadable);
    }

    /** May be called again after the handler threw: what was parked is not parked twice. */
    void to(MessageHandler<T> handler) {
        while (!unreadable.isEmpty()) {
            unreadable.element().to(handler, topic);
            unreadable.remove();
        }
        if (!readable.isEmpty()) {
            handler.handleWaiting(readable.stream().map(Letter::waiting).toList());
        }
    }

    /** More than one message is left. */
    boolean canBeHalved() {
        return size() > 1;
    }

    /** What must be parked, which may fail for a reason of its own, apart from the others. */
    List<Delivery<T>> halves() {
        if (unreadable.isEmpty()) {
            int middle = readable.size() / 2;
            return List.of(
                    new Delivery<>(topic, readable.subList(0, middle), List.of()),
                    new Delivery<>(topic, readable.subList(middle, readable.size()), List.of()));
        }
        List<Parked> one = List.of(unreadable.remove());
        return List.of(
                new Delivery<>(topic, List.of(), one), new Delivery<>(topic, readable, unreadable));
    }

    /** Those of these messages; the others are handled. */
    Delivery<T> only(Collection<?> heldUp) {
        Set<Object> same = Collections.newSetFromMap(new IdentityHashMap<>());
        same.addAll(heldUp);
        return new Delivery<>(
                topic,
                readable.stream().filter(l -> same.contains(l.message())).toList(),
                List.of());
    }

    /** How often this single message has failed by now; 0 while something is left to park. */
    int countFailure() {
        return unreadable.isEmpty() ? ++failures : 0;
    }

    /** The single message that cannot be handled; it counts from none again if that fails. */
    void giveUp(MessageHandler<T> handler, Throwable failure) {
        failures = 0;
        Letter<T> letter = readable.get(0);
        MessageExt raw = letter.raw();
        handler.giveUp(letter.message(), topic, id(raw), text(raw), failure);
    }

    /** The broker's own name for it: whoever sends a message may give it any other. */
    private static String id(MessageExt raw) {
        return raw instanceof MessageClientExt client ? client.getOffsetMsgId() : raw.getMsgId();
    }

    /** Empty where there is no body, which a sender's own client does not prevent. */
    private static String text(MessageExt raw) {
        return raw.getBody() == null ? "" : new String(raw.getBody(), UTF_8);
    }

    int size() {
        return readable.size() + unreadable.size();
    }
}
