package io.seckill.common.message;

import java.util.List;

/**
 * Some of the messages that a handler was given wait for something that only they need; the others
 * are handled. They come again for as long as it takes, and are never parked.
 */
public final class HeldUpException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient List<?> messages;

    /** At least one, each the very object that the handler was given. */
    public HeldUpException(String why, List<?> messages) {
        super(why);
        this.messages = List.copyOf(messages);
    }

    public List<?> messages() {
        return messages;
    }
}
