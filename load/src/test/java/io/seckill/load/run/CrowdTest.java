package io.seckill.load.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.seckill.load.client.Tally;
import io.seckill.load.client.Traffic.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of crowds says what the scripts say. */
class CrowdTest {

    private static final Path SCRIPTS = Path.of(".");

    @Test
    void every_script_has_its_crowd_and_no_crowd_lacks_one() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".js")))
                    .containsExactlyInAnyOrderElementsOf(
                            Arrays.stream(Crowd.values()).map(Crowd::script).toList());
        }
    }

    @ParameterizedTest
    @EnumSource(Crowd.class)
    void crowd_has_the_numbers_of_its_script(Crowd crowd) throws IOException {
        String script = Files.readString(SCRIPTS.resolve(crowd.script()));
        String duration = crowd == Crowd.SOAK ? "1h" : crowd.durationS() + "s";
        if (crowd == Crowd.SPIKE) {
            assertThat(script)
                    .contains("whole('RATE', " + crowd.ratePerS() + ", 1)")
                    .contains("seconds('DURATION', '" + duration + "')");
        } else {
            assertThat(script)
                    .contains("constantRate(" + crowd.ratePerS() + ", '" + duration + "', ");
        }
        int p99Ms = crowd.attemptP99Ms();
        String metric = crowd == Crowd.SOLD_OUT ? "refused_time" : "attempt_time";
        assertThat(script.contains(metric + ": ['p(99)<" + p99Ms + "']")).isEqualTo(p99Ms > 0);
        assertThat(script.contains("ALL_ANSWERED")).isEqualTo(crowd.isCarried());
    }

    @Test
    void unknown_crowd_is_refused_with_those_there_are() {
        assertThatThrownBy(() -> Crowd.of("stampede"))
                .hasMessageContaining("'stampede'")
                .hasMessageContaining("smoke steady spike sold-out retry-storm soak polling");
    }

    @Test
    void plan_without_numbers_has_those_of_the_crowd() {
        assertThat(Plan.of(List.of("spike")))
                .isEqualTo(new Plan(Crowd.SPIKE, 500, 10, 1_500, 500, "", false));
        assertThat(Plan.of(List.of("sold-out", "--keep", "--rate", "7")))
                .isEqualTo(new Plan(Crowd.SOLD_OUT, 7, 20, 0, 12, "", true));
    }

    @Test
    void more_arrivals_than_can_be_kept_are_refused_before_anything_is_made() {
        assertThatThrownBy(() -> Plan.of(List.of("soak", "--rate", "100000")))
                .hasMessageContaining("at most 2000000");
    }

    @ParameterizedTest
    @EnumSource(value = Crowd.class, mode = EnumSource.Mode.EXCLUDE, names = "SOLD_OUT")
    void crowd_that_nobody_serves_does_not_hold(Crowd crowd) {
        Plan plan = Plan.of(List.of(crowd.word()));
        CrowdCounts counts = new CrowdCounts();
        counts.unansweredAttempt();
        counts.attempt(new Answer(1, 503, "BUSY", 1_000, 5));
        assertThat(counts.outcome(plan, new Tally()).breached())
                .contains("accepted is not count>0");
    }

    @Test
    void buyer_is_empty_handed_only_when_told_that_no_retry_helps() {
        CrowdCounts counts = new CrowdCounts();
        counts.wentWithout(new Answer(1, 429, "TOO_MANY_REQUESTS", 1_000, 5));
        counts.wentWithout(new Answer(2, 503, "BUSY", 1_000, 5));
        counts.wentWithout(new Answer(3, 409, "SOLD_OUT", 0, 5));
        Outcome told = counts.outcome(Plan.of(List.of("smoke")), new Tally());
        assertThat(told.emptyHanded()).isEqualTo(1);
        assertThat(told.gaveUp()).isEqualTo(1);
    }

    @Test
    void buyer_without_a_final_word_is_not_hidden_by_one_whose_attempt_was_not_told() {
        CrowdCounts counts = new CrowdCounts();
        counts.attempt(new Answer(1, 202, "ACCEPTED", 0, 5));
        counts.holds();
        counts.attempt(new Answer(2, 503, "BUSY", 1_000, 5));
        counts.attempt(new Answer(2, 409, "ALREADY_BOUGHT", 0, 5));
        counts.holds();
        counts.finalWord("ORDERED", 5);
        Outcome told = counts.outcome(Plan.of(List.of("spike")), new Tally());
        assertThat(told.noResult()).isEqualTo(1);
    }

    @Test
    void crowd_that_comes_too_late_wants_no_more_units_than_can_be_sold_before() {
        assertThatThrownBy(() -> Plan.of(List.of("sold-out", "--stock", "20001")))
                .hasMessageContaining("at most 20000");
    }

    @Test
    void plan_takes_every_number_that_is_asked_for() {
        assertThat(Plan.of("steady --rate 9 --duration 8 --users 7 --stock 6 --k6 /k6"
                        .lines()
                        .flatMap(line -> Stream.of(line.split(" ")))
                        .toList()))
                .isEqualTo(new Plan(Crowd.STEADY, 9, 8, 7, 6, "/k6", false));
    }
}
