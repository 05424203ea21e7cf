package io.seckill.common.message;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** How many messages of a topic wait in the broker. */
public interface Backlog {

    /** A part of a topic: how many messages it has had, and how many of them are done. */
    record Queue(String name, long sent, long done) {

        public long waiting() {
            return sent - done;
        }
    }

    /**
     * Those a consumer group has not acknowledged. Perhaps a little too high, for acknowledgements
     * are seen late. Empty when the broker does not say; never fails.
     */
    OptionalLong of(String topic, String group);

    /**
     * The same, queue by queue, but done is also what a consumer of this process is done with and
     * cannot acknowledge: a message before it is still in hand. What other processes are done with
     * so is not known here.
     */
    Optional<List<Queue>> queues(String topic, String group);
}
