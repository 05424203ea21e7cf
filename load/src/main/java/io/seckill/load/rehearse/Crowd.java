package io.seckill.load.rehearse;

import io.seckill.load.client.Requests;
import io.seckill.load.client.Traffic;

import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/**
 * Users who try once each, and again when and as they are told to. Where the sale has a signed path
 * they call for it first, as buyers do; what they then use was signed by us with the same key.
 */
final class Crowd implements Traffic {

    private static final int MAX_TRIES = 100; // of one user
    private static final int OK = 200;

    private final String productId;
    private final Requests attempts;
    private final Requests calls; // for a path
    private final byte[][] tokens;
    private final String[] paths; // empty where the sale has none
    private final boolean[] called;
    private final byte[] tries;
    private int accepted;

    Crowd(String productId, int size, IntFunction<String> token, IntFunction<String> path) {
        this.productId = productId;
        attempts = Requests.attempts(productId);
        calls = Requests.posts("/seckill/flash/sale/path?productId=" + productId);
        tokens = new byte[size][];
        paths = new String[size];
        for (int i = 0; i < size; i++) {
            tokens[i] = token.apply(i).getBytes(StandardCharsets.US_ASCII);
            paths[i] = path.apply(i);
        }
        called = new boolean[size];
        tries = new byte[size];
    }

    @Override
    public int size() {
        return tokens.length;
    }

    @Override
    public byte[] request(int number) {
        if (paths[number].isEmpty()) {
            return attempts.of(tokens[number]);
        }
        Requests next = called[number]
                ? Requests.posts(
                        "/seckill/flash/sale/" + paths[number] + "/deduct?productId=" + productId)
                : calls;
        return next.of(tokens[number]);
    }

    @Override
    public long againAfterMs(Answer answer) {
        if (answer.httpStatus() == OK) {
            called[answer.number()] = true;
            return 0;
        }
        boolean holds = answer.word().equals("ACCEPTED") || answer.word().equals("ALREADY_BOUGHT");
        accepted += holds ? 1 : 0;
        return answer.retryAfterMs() > 0 && ++tries[answer.number()] < MAX_TRIES
                ? answer.retryAfterMs()
                : NEVER;
    }

    /** Users who hold a unit; one whose answer was BUSY may hear of it at the next try. */
    int accepted() {
        return accepted;
    }
}
