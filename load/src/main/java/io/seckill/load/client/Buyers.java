package io.seckill.load.client;

import java.util.function.IntFunction;

/**
 * Users who buy: each tries, again when and as it is told to, and with {@code polls} asks for the
 * result until it is final.
 */
public final class Buyers implements Traffic {

    private static final int MAX_TRIES =
            1_000; // of one buyer; a limit of 0 must not keep us for ever
    private static final long POLL_MS = 20;

    private final String productId;
    private final String[] tokens;
    private final boolean polls;
    private final long[] acceptedNs;
    private final short[] tries;
    private final Latency orderedAfter = new Latency();
    private int accepted;

    public Buyers(String productId, int count, IntFunction<String> token, boolean polls) {
        this.productId = productId;
        this.polls = polls;
        tokens = new String[count];
        for (int i = 0; i < count; i++) {
            tokens[i] = token.apply(i);
        }
        acceptedNs = new long[count];
        tries = new short[count];
    }

    @Override
    public int size() {
        return tokens.length;
    }

    @Override
    public byte[] request(int number) {
        return acceptedNs[number] == 0
                ? Requests.attempt(productId, tokens[number])
                : Requests.result(productId, tokens[number]);
    }

    @Override
    public long againAfterMs(Answer answer) {
        int number = answer.number();
        if (acceptedNs[number] != 0) {
            return poll(answer);
        }
        if (answer.word().equals("ACCEPTED")) {
            accepted++;
            acceptedNs[number] = System.nanoTime();
            return polls ? POLL_MS : NEVER;
        }
        return answer.retryAfterMs() > 0 && ++tries[number] < MAX_TRIES
                ? answer.retryAfterMs()
                : NEVER;
    }

    private long poll(Answer answer) {
        if (answer.word().equals("ORDERED")) {
            orderedAfter.add(System.nanoTime() - acceptedNs[answer.number()]);
        }
        return answer.word().equals("PENDING") || answer.httpStatus() != 200
                ? Math.max(POLL_MS, answer.retryAfterMs())
                : NEVER;
    }

    public int accepted() {
        return accepted;
    }

    /** From the answer ACCEPTED to the poll that said ORDERED. */
    public Latency orderedAfter() {
        return orderedAfter;
    }
}
