package io.seckill.load.run;

import io.seckill.contracts.Refusal;
import io.seckill.load.client.Latency;
import io.seckill.load.client.Tally;
import io.seckill.load.client.Traffic.Answer;
import io.seckill.load.run.Outcome.Quantiles;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the crowd of the built-in generator was told, counted as the scripts count it. */
final class CrowdCounts {

    private static final Set<String> OTHER_FINAL_WORDS = Set.of("REJECTED", "CANCELLED");
    private static final int POLLING_ORDERED_MS = 5_000; // as in load/07-polling.js
    private static final Set<Integer> ANSWERS_TO_CALLS = Set.of(200, 429, 503);

    private final Map<String, Latency> times = new HashMap<>();
    private final Map<String, Integer> words = new HashMap<>(); // of attempts
    private long attempts;
    private long unanswered;
    private long emptyHanded;
    private long gaveUp;
    private long holding; // who has been told, or must believe, that it has a unit
    private long ordered;
    private long rejected;
    private long wrong;
    private long backwards;

    void attempt(Answer answer) {
        attempts++;
        words.merge(answer.word(), 1, Integer::sum);
        time(Outcome.ATTEMPT, answer.latencyNs());
        switch (answer.word()) {
            case "ACCEPTED" -> {
                time(Outcome.ACCEPTED, answer.latencyNs());
                wrong += answer.httpStatus() == 202 ? 0 : 1;
            }
            case "PENDING" -> wrong += answer.httpStatus() == 202 ? 0 : 1;
            case "BUSY" -> wrong += isOfTheTable(answer) ? 0 : 1;
            default -> {
                time(Outcome.REFUSED, answer.latencyNs());
                wrong += isOfTheTable(answer) ? 0 : 1;
            }
        }
    }

    private static boolean isOfTheTable(Answer answer) {
        return Arrays.stream(Refusal.values())
                .anyMatch(each -> each.name().equals(answer.word())
                        && each.status() == answer.httpStatus()
                        && (each.retryAfterMs() > 0) == (answer.retryAfterMs() > 0));
    }

    void unansweredAttempt() {
        attempts++;
        unanswered++;
    }

    /** With the last answer of a buyer who holds nothing; BUSY says neither. */
    void wentWithout(Answer answer) {
        emptyHanded += answer.retryAfterMs() == 0 ? 1 : 0;
        gaveUp += answer.retryAfterMs() > 0 && !answer.word().equals("BUSY") ? 1 : 0;
    }

    void call(Answer answer) {
        wrong += ANSWERS_TO_CALLS.contains(answer.httpStatus()) ? 0 : 1;
    }

    /** A buyer asks for the result from now on. */
    void holds() {
        holding++;
    }

    void finalWord(String word, long sinceNs) {
        if (word.equals("ORDERED")) {
            ordered++;
            time(Outcome.ORDERED, sinceNs);
        } else {
            rejected++;
            wrong += OTHER_FINAL_WORDS.contains(word) ? 0 : 1;
        }
    }

    /** After ORDERED. */
    void laterResult(Answer answer) {
        backwards += answer.httpStatus() == 200 && !answer.word().equals("ORDERED") ? 1 : 0;
    }

    private void time(String what, long ns) {
        times.computeIfAbsent(what, any -> new Latency()).add(ns);
    }

    private int told(String word) {
        return words.getOrDefault(word, 0);
    }

    private long unknown() {
        return unanswered + told("BUSY") + told("PENDING");
    }

    /** tally: of the generator, which alone knows how it kept up. */
    Outcome outcome(Plan plan, Tally tally) {
        Map<String, Quantiles> quantiles = new HashMap<>();
        times.forEach((name, latency) -> quantiles.put(
                name, new Quantiles(latency.ms(0.5), latency.ms(0.95), latency.ms(0.99))));
        long accepted = told("ACCEPTED");
        long soldOut = told("SOLD_OUT");
        long already = told("ALREADY_BOUGHT");
        return new Outcome(
                attempts,
                accepted,
                attempts - accepted - soldOut - already - unknown(),
                soldOut,
                already,
                unknown(),
                emptyHanded,
                gaveUp,
                ordered,
                rejected,
                holding - ordered - rejected,
                tally.seconds(),
                tally.generatorWasTheLimit(),
                quantiles,
                breached(plan, quantiles));
    }

    /** The thresholds of the scripts. */
    private List<String> breached(Plan plan, Map<String, Quantiles> quantiles) {
        Crowd crowd = plan.crowd();
        List<String> breached = new ArrayList<>();
        addUnless(breached, wrong == 0, wrong + " answers are not of the contract");
        addUnless(breached, backwards == 0, backwards + " results went back");
        addUnless(breached, unknown() == 0 || !crowd.isCarried(), "unknown is not count==0");
        addUnless(breached, rejected == 0 || !crowd.isCarried(), "rejected is not count==0");
        int limitMs = crowd.attemptP99Ms();
        Quantiles attempt = quantiles.getOrDefault(Outcome.ATTEMPT, new Quantiles(0, 0, 0));
        boolean isFast = limitMs == 0 || attempt.p99() < limitMs;
        addUnless(breached, isFast, "attempt_time is not p(99)<" + limitMs);
        boolean isTooLate = told("SOLD_OUT") == attempts && attempts > 0;
        addUnless(breached, crowd != Crowd.SOLD_OUT || isTooLate, "not every answer is SOLD_OUT");
        boolean isServed = told("ACCEPTED") > 0 || crowd == Crowd.SOLD_OUT;
        addUnless(breached, isServed, "accepted is not count>0");
        Quantiles ordering = quantiles.getOrDefault(Outcome.ORDERED, new Quantiles(0, 0, 0));
        boolean isSoon = crowd != Crowd.POLLING || ordering.p99() < POLLING_ORDERED_MS;
        addUnless(breached, isSoon, "accepted_to_ordered is not p(99)<" + POLLING_ORDERED_MS);
        boolean mustOrder = crowd == Crowd.SMOKE || crowd == Crowd.POLLING;
        addUnless(breached, !mustOrder || ordered > 0, "ordered is not count>0");
        return breached;
    }

    private static void addUnless(List<String> breached, boolean holds, String words) {
        if (!holds) {
            breached.add(words);
        }
    }
}
