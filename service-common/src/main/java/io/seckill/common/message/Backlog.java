package io.seckill.common.message;

import java.util.OptionalLong;

/** How many messages of a topic wait in the broker: those a consumer group has not acknowledged. */
public interface Backlog {

    /**
     * Perhaps a little too high, for acknowledgements are seen late. Empty when the broker does not
     * say; never fails.
     */
    OptionalLong of(String topic, String group);
}
