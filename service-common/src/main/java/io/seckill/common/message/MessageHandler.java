package io.seckill.common.message;

import java.util.List;

/**
 * What a service does with messages of one topic. Both methods must survive a duplicate, and
 * several threads at once.
 */
public interface MessageHandler<T> {

    /** Handles all of them (at least one) or throws; after a throw the same messages come again. */
    void handle(List<T> messages);

    /** Keeps a message that can never be read for a human, or throws and is asked again. */
    void park(String topic, String messageId, String body, String reason);
}
