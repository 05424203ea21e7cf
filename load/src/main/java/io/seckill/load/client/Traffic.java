package io.seckill.load.client;

/** What a generator sends, and what it does with the answers. Called by one thread only. */
public interface Traffic {

    /** Instead of milliseconds: this one is done. */
    long NEVER = -1;

    /**
     * The answer to request {@code number}; {@code word} is the body's code or status, else
     * HTTP's.
     */
    record Answer(int number, int httpStatus, String word, int retryAfterMs, long latencyNs) {}

    /** How many there are. */
    int size();

    /** Seconds after the start when request {@code number} is due, where a rate is asked for. */
    default double dueS(int number, double ratePerS) {
        return number / ratePerS;
    }

    /**
     * Request {@code number}, from 0 on, as bytes on the wire, keep-alive. Asked for again when
     * {@link #againAfterMs} said so, and may then be another request.
     */
    byte[] request(int number);

    /** Sees each answer as it comes; milliseconds until this number is sent again, or NEVER. */
    default long againAfterMs(Answer answer) {
        return NEVER;
    }

    /** The same of a request whose connection ended without an answer: nobody knows what it did. */
    default long againAfterLossMs(int number) {
        return NEVER;
    }
}
