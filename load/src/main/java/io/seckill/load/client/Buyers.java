package io.seckill.load.client;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Users who buy: each tries, again when and as it is told to, until it is accepted or told that a
 * retry does not help; and then, with {@code pollMs}, asks for the result until it is final.
 *
 * <p>An attempt without an answer (or with BUSY) is unknown, so that ALREADY_BOUGHT is what an
 * accepted buyer may hear first.
 */
public final class Buyers implements Traffic {

    private static final Set<String> HAS_A_RESULT = Set.of("ACCEPTED", "PENDING", "ALREADY_BOUGHT");
    private static final int MAX_TRIES =
            1_000; // of one buyer; a limit of 0 must not keep us for ever
    private static final long AFTER_LOSS_MS = 100;

    // Then five times less often: the edge allows a user 20 calls a second.
    private static final int SHORT_POLLS = 10;
    private static final int LATER_POLLS = 5;

    private final Requests attempts;
    private final Requests results;
    private final byte[][] tokens;
    private final long pollMs; // 0: nobody asks
    private final long[] acceptedNs; // by buyer; 0: not accepted
    private final short[] tries; // attempts, then polls
    private int watchedOneOf = 1;
    private long watchMs; // how often those ask
    private final Latency orderedAfter = new Latency();
    private int accepted;

    /** The tokens are made here and now, before any clock starts. */
    public Buyers(String productId, int count, IntFunction<String> token, long pollMs) {
        this.pollMs = pollMs;
        watchMs = pollMs;
        attempts = Requests.attempts(productId);
        results = Requests.results(productId);
        tokens = new byte[count][];
        for (int i = 0; i < count; i++) {
            tokens[i] = token.apply(i).getBytes(StandardCharsets.US_ASCII);
        }
        acceptedNs = new long[count];
        tries = new short[count];
    }

    /** One of so many asks that often, and only those tell how long an order takes. */
    public Buyers watchingOneOf(int many, long everyMs) {
        watchedOneOf = many;
        watchMs = everyMs;
        return this;
    }

    private boolean isWatched(int number) {
        return number % watchedOneOf == 0;
    }

    private long everyMs(int number) {
        return isWatched(number) ? watchMs : pollMs;
    }

    @Override
    public int size() {
        return tokens.length;
    }

    @Override
    public byte[] request(int number) {
        return (acceptedNs[number] == 0 ? attempts : results).of(tokens[number]);
    }

    @Override
    public long againAfterMs(Answer answer) {
        int number = answer.number();
        if (acceptedNs[number] != 0) {
            return poll(answer);
        }
        if (HAS_A_RESULT.contains(answer.word())) {
            accepted += answer.word().equals("PENDING") ? 0 : 1;
            acceptedNs[number] = System.nanoTime();
            tries[number] = 0;
            return pollMs > 0 ? everyMs(number) : NEVER;
        }
        return answer.retryAfterMs() > 0 && ++tries[number] < MAX_TRIES
                ? answer.retryAfterMs()
                : NEVER;
    }

    private long poll(Answer answer) {
        int number = answer.number();
        if (answer.word().equals("ORDERED") && isWatched(number)) {
            orderedAfter.add(System.nanoTime() - acceptedNs[number]);
        }
        boolean isOpen = answer.word().equals("PENDING") || answer.httpStatus() != 200;
        if (!isOpen || ++tries[number] >= MAX_TRIES) {
            return NEVER;
        }
        long everyMs = everyMs(number);
        long step = tries[number] < SHORT_POLLS ? everyMs : everyMs * LATER_POLLS;
        // At its own pace and not that of a PENDING: what is measured is how soon the word is
        // there.
        return answer.httpStatus() == 200 ? step : Math.max(step, answer.retryAfterMs());
    }

    @Override
    public long againAfterLossMs(int number) {
        return ++tries[number] < MAX_TRIES ? AFTER_LOSS_MS : NEVER;
    }

    /** The first request of each, once and never again. */
    public Traffic firstAttempts() {
        return new Repeated(tokens.length, number -> attempts.of(tokens[number]));
    }

    /** Buyers who were told that they have a unit. */
    public int accepted() {
        return accepted;
    }

    /** From the answer ACCEPTED to the poll that said ORDERED, of those who are watched. */
    public Latency orderedAfter() {
        return orderedAfter;
    }
}
