package io.seckill.load;

/** Words that the command does not know; the message says which and what there is. */
public final class MisuseException extends RuntimeException {

    public MisuseException(String message) {
        super(message);
    }
}
