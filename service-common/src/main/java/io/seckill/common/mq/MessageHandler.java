package io.seckill.common.mq;

import java.util.List;

/** What a service does with messages of one topic. Both methods must survive a duplicate. */
public interface MessageHandler<T> {

    /** Handles all of them or throws; after a throw the same messages come again. */
    void handle(List<T> messages);

    /** Keeps a message that can never be handled for a human, with the reason. */
    void park(String topic, String messageId, String body, String reason);
}
