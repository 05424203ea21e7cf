package io.seckill.common.message;

import java.util.List;

/**
 * What a service does with messages of one topic. All methods must survive a duplicate, and
 * several threads at once.
 */
public interface MessageHandler<T> {

    /**
     * Throws IllegalArgumentException, which says why, for a message that is not to be believed: it
     * is parked like one that cannot be read. Asked before a message is handled.
     */
    default void check(T message) {}

    /** Handles all of them (at least one) or throws; after a throw the same messages come again. */
    void handle(List<T> messages);

    /**
     * The same, for a handler that decides by how long each has waited; consumers call this one.
     */
    default void handleWaiting(List<Waiting<T>> messages) {
        handle(messages.stream().map(Waiting::message).toList());
    }

    /**
     * Throws when something that it needs to handle or park a message is away. A message that fails
     * alone, again and again, although this does not throw is parked; by default none ever is.
     */
    default void checkReady() {
        throw new UnsupportedOperationException("whether something is away is not known");
    }

    /**
     * Keeps a message that can never be read, or never be handled, for a human, or throws and is
     * asked again.
     */
    void park(String topic, String messageId, String body, String reason);

    /** As {@link #park}, for a message that can be read; it failed alone, this time by this. */
    default void giveUp(T message, String topic, String messageId, String body, Throwable failure) {
        park(topic, messageId, body, failure.toString());
    }
}
