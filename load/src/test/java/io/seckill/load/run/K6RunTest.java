package io.seckill.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.contracts.Json;
import java.util.Map;
import org.junit.jupiter.api.Test;

class K6RunTest {

    @Test
    void summary_is_read_with_what_it_counted_and_what_it_did_not() {
        Outcome told = outcome("true", "true");
        assertThat(told.attempts()).isEqualTo(7);
        assertThat(told.accepted()).isZero();
        assertThat(told.seconds()).isEqualTo(1.5);
        assertThat(told.times())
                .containsExactly(Map.entry(Outcome.ATTEMPT, new Outcome.Quantiles(1, 2, 3)));
        assertThat(told.generatorWasTheLimit()).isFalse();
        assertThat(told.breached()).isEmpty();
    }

    @Test
    void arrivals_that_never_came_are_the_generators_limit_also_when_none_was_dropped() {
        Outcome told = outcome("false", "true");
        assertThat(told.generatorWasTheLimit()).isTrue();
        assertThat(told.breached()).containsExactly("iterations is not count>=9");
    }

    @Test
    void slow_answers_are_not_the_generators_limit() {
        Outcome told = outcome("true", "false");
        assertThat(told.generatorWasTheLimit()).isFalse();
        assertThat(told.breached()).containsExactly("attempt_time is not p(99)<3");
    }

    private static Outcome outcome(String allCame, String isFast) {
        return K6Run.outcome(Json.read("""
                {"state": {"testRunDurationMs": 1500}, "metrics": {
                  "attempts": {"values": {"count": 7}},
                  "iterations": {"values": {"count": 8}, "thresholds": {"count>=9": {"ok": %s}}},
                  "attempt_time": {"values": {"p(50)": 1, "p(95)": 2, "p(99)": 3.0},
                    "thresholds": {"p(99)<3": {"ok": %s}}}}}
                """.formatted(allCame, isFast), Map.class));
    }
}
