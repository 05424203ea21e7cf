package io.seckill.load.run;

import io.seckill.load.client.Requests;
import io.seckill.load.client.Tally;
import io.seckill.load.client.Traffic;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.Function;

/**
 * A crowd of load/ for the built-in generator: the same arrivals, and each does what the script's
 * does. Signed paths are k6's alone.
 *
 * <p>An arrival is a number whose step says what its next request is; its answer moves it on.
 */
final class CrowdTraffic implements Traffic {

    private static final String BUSY = "BUSY";
    private static final int TRIES = 20; // of a spike's and a storm's buyers
    private static final int FEW_TRIES = 5;
    private static final int MORE_POLLS = 10;
    private static final int MORE_POLLS_PAUSE_MS = 100;
    private static final int FIRST_PAUSE_MS = 100;
    private static final int LAST_PAUSE_MS = 1_000;
    private static final long PATIENCE_NS = 60_000_000_000L;

    private enum Step {
        LOOK,
        LOOK_ONLY,
        TRY,
        ASK,
        ASK_ONLY,
        ASK_MORE,
        ORDERS
    }

    private final Plan plan;
    private final Requests tries;
    private final Requests results;
    private final Requests orders = Requests.orders();
    private final Function<String, String> tokenOf;
    private final String run;
    private final Random random = new Random(1);
    private final int[] user;
    private final Step[] step;
    private final int[] count; // tries, pause in ms or polls left, as the step wants
    private final boolean[] lost; // an attempt's outcome was not told
    private final long[] acceptedNs;
    private final CrowdCounts counts = new CrowdCounts();

    CrowdTraffic(Plan plan, String productId, String run, Function<String, String> tokenOf) {
        this.plan = plan;
        tries = Requests.attempts(productId);
        results = Requests.results(productId);
        this.run = run;
        this.tokenOf = tokenOf;
        int size = plan.arrivals();
        user = new int[size];
        step = new Step[size];
        count = new int[size];
        lost = new boolean[size];
        acceptedNs = new long[size];
        for (int i = 0; i < size; i++) {
            step[i] = firstStep(i);
            user[i] = userOf(i);
        }
    }

    private Step firstStep(int number) {
        if (plan.crowd() == Crowd.STEADY) {
            int turn = number % 10; // the table of load/README.md
            return turn < 4
                    ? Step.LOOK_ONLY
                    : turn < 7 ? Step.TRY : turn < 9 ? Step.ASK_ONLY : Step.ORDERS;
        }
        return plan.crowd() == Crowd.SMOKE ? Step.LOOK : Step.TRY;
    }

    private int userOf(int number) {
        if (plan.users() == 0 || plan.crowd() == Crowd.SPIKE) {
            return number;
        }
        return plan.crowd() == Crowd.STEADY ? random.nextInt(plan.users()) : number % plan.users();
    }

    @Override
    public int size() {
        return step.length;
    }

    /** After a spike's burst the curious come; beside each ten of a storm a polite one. */
    @Override
    public double dueS(int number, double ratePerS) {
        if (plan.crowd() == Crowd.SPIKE && number >= plan.users()) {
            return plan.users() / ratePerS + (number - plan.users()) / (double) plan.tenthPerS();
        }
        double perS = (double) size() / plan.durationS();
        return plan.crowd() == Crowd.RETRY_STORM ? number / perS : number / ratePerS;
    }

    @Override
    public byte[] request(int number) {
        return switch (step[number]) {
            case LOOK, LOOK_ONLY -> Requests.sales();
            case TRY -> tries.of(token(number));
            case ASK, ASK_ONLY, ASK_MORE -> results.of(token(number));
            case ORDERS -> orders.of(token(number));
        };
    }

    private byte[] token(int number) {
        return tokenOf.apply(run + "-" + user[number]).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public long againAfterMs(Answer answer) {
        int number = answer.number();
        return switch (step[number]) {
            case LOOK -> {
                counts.call(answer);
                step[number] = Step.TRY;
                yield 0;
            }
            case LOOK_ONLY, ORDERS, ASK_ONLY -> {
                counts.call(answer);
                yield NEVER;
            }
            case TRY -> tried(answer);
            case ASK -> asked(answer);
            case ASK_MORE -> {
                counts.laterResult(answer);
                yield --count[number] > 0 ? MORE_POLLS_PAUSE_MS : NEVER;
            }
        };
    }

    @Override
    public long againAfterLossMs(int number) {
        if (step[number] == Step.ASK) {
            return LAST_PAUSE_MS;
        }
        if (step[number] != Step.TRY) {
            return NEVER;
        }
        counts.unansweredAttempt();
        lost[number] = true;
        return ++count[number] < tries() ? LAST_PAUSE_MS : NEVER;
    }

    private long tried(Answer answer) {
        counts.attempt(answer);
        if (answer.word().equals("ACCEPTED") || answer.word().equals("PENDING")) {
            return holds(answer.number());
        }
        lost[answer.number()] |= answer.word().equals(BUSY);
        return refusedOnce(answer);
    }

    /**
     * Again as told, a greedy one at once; who finds that it has bought holds a lost attempt's
     * unit.
     */
    private long refusedOnce(Answer answer) {
        int number = answer.number();
        boolean has = answer.word().equals("ALREADY_BOUGHT");
        if (has && lost[number]) {
            return holds(number);
        }
        boolean triesOn = ++count[number] < tries();
        if (isGreedy(number) && triesOn && !has) {
            return 0;
        }
        if (answer.retryAfterMs() > 0 && triesOn) {
            return answer.retryAfterMs();
        }
        if (!has) {
            counts.wentWithout(answer);
        }
        return NEVER;
    }

    private int tries() {
        return switch (plan.crowd()) {
            case SPIKE, RETRY_STORM -> TRIES;
            case SOLD_OUT -> 1;
            default -> FEW_TRIES;
        };
    }

    private boolean isGreedy(int number) {
        return plan.crowd() == Crowd.RETRY_STORM && number % 11 != 0;
    }

    private long holds(int number) {
        counts.holds();
        acceptedNs[number] = System.nanoTime();
        step[number] = Step.ASK;
        count[number] = FIRST_PAUSE_MS;
        return 0;
    }

    private long asked(Answer answer) {
        int number = answer.number();
        long sinceNs = System.nanoTime() - acceptedNs[number];
        if (answer.httpStatus() != 200 || answer.word().equals("PENDING")) {
            int pauseMs = count[number];
            count[number] = Math.min(pauseMs * 3 / 2, LAST_PAUSE_MS);
            return sinceNs < PATIENCE_NS ? pauseMs : NEVER;
        }
        counts.finalWord(answer.word(), sinceNs);
        return answer.word().equals("ORDERED") ? afterwards(number) : NEVER;
    }

    private long afterwards(int number) {
        switch (plan.crowd()) {
            case SMOKE -> {
                step[number] = Step.ORDERS;
                return 0;
            }
            case SOAK -> {
                step[number] = Step.LOOK_ONLY;
                return 0;
            }
            case POLLING -> {
                step[number] = Step.ASK_MORE;
                count[number] = MORE_POLLS;
                return MORE_POLLS_PAUSE_MS;
            }
            default -> {
                return NEVER;
            }
        }
    }

    Outcome outcome(Tally tally) {
        return counts.outcome(plan, tally);
    }
}
