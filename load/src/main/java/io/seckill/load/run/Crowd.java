package io.seckill.load.run;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The crowds of load/, with the numbers of their scripts where no others are asked for. */
enum Crowd {
    SMOKE("01-smoke", 2, 5, 0),
    STEADY("02-steady", 100, 60, 500),
    SPIKE("03-spike", 500, 10, 3_000),
    SOLD_OUT("04-sold-out", 1_000, 20, 100),
    RETRY_STORM("05-retry-storm", 50, 20, 3_000),
    SOAK("06-soak", 20, 3_600, 500),
    POLLING("07-polling", 20, 20, 0);

    private final String script;
    private final int ratePerS;
    private final int durationS;
    private final int attemptP99Ms;

    /** attemptP99Ms: an attempt's p99 must be below it; 0: any will do. */
    Crowd(String script, int ratePerS, int durationS, int attemptP99Ms) {
        this.script = script;
        this.ratePerS = ratePerS;
        this.durationS = durationS;
        this.attemptP99Ms = attemptP99Ms;
    }

    static Crowd of(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no scenario '" + word + "'; there are: " + words()));
    }

    private static String words() {
        return Arrays.stream(values()).map(Crowd::word).collect(Collectors.joining(" "));
    }

    /** As in {@code ./seckill load WORD}. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String script() {
        return script + ".js";
    }

    int ratePerS() {
        return ratePerS;
    }

    int durationS() {
        return durationS;
    }

    int attemptP99Ms() {
        return attemptP99Ms;
    }

    /** The deployment should carry it: no attempt is BUSY or without an answer. */
    boolean isCarried() {
        return this != SPIKE && this != RETRY_STORM;
    }
}
