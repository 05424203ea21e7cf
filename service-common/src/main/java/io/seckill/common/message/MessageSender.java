package io.seckill.common.message;

import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * Sends batches to the broker and says whether it has them on disk.
 *
 * <p>Starts without the broker and never fails because it is away. Each topic's first failure and
 * its recovery are logged, what is between is not.
 */
public interface MessageSender extends SmartLifecycle {

    /** Messages per batch; a batch stays far below any broker's limit (RocketMQ: 4 MiB). */
    int MAX_BATCH = 64;

    /** What to send: the body, and the key under which an operator finds it in the broker. */
    record Outgoing(String key, String body) {}

    /**
     * Sends 1 to {@link #MAX_BATCH} messages to one topic.
     *
     * @return true: the broker has all of them on disk. False is everything else and means unknown:
     *     the caller keeps what it has and sends it again; consumers take duplicates.
     * @throws IllegalArgumentException the batch is empty or too large; nothing was sent
     */
    boolean send(String topic, List<Outgoing> batch);

    /** Before the relays that use it, and stopped after them. */
    @Override
    default int getPhase() {
        return 0;
    }
}
