package io.seckill.load.rehearse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.seckill.contracts.Limits;
import io.seckill.load.rehearse.Advice.Now;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdviceTest {

    private static final Now NOW = new Now(10_000, 2_000, 500);

    @Test
    void limits_are_shares_of_what_was_measured_rounded_down() {
        assertThat(advice(new Findings(21_300, 1_239, 80, 0, 871, false, false)))
                .extracting(Advice::command, Advice::value, Advice::now)
                .containsExactly(
                        tuple("limits set edge.global_qps", 1_100L, 10_000L),
                        tuple("limits product 518 qps", 690L, 2_000L),
                        tuple("limits set order.rate_per_second", 690L, 500L));
    }

    @Test
    void product_leaves_a_fifth_where_orders_keep_up() {
        assertThat(advice(new Findings(21_300, 1_000, 80, 0, 1_000, false, true)))
                .extracting(Advice::value)
                .containsExactly(900L, 720L, 800L);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "0.4, 1",
        "1, 1",
        "9.9, 9",
        "99, 99",
        "100, 100",
        "119, 110",
        "999, 990",
        "1239, 1200",
        "999999, 990000"
    })
    void figure_is_rounded_down_to_two_digits_and_never_closes(double value, long rounded) {
        assertThat(Advice.rounded(value)).isEqualTo(rounded);
    }

    @Test
    void every_advice_is_a_limit_that_may_be_set() {
        for (double perS : new double[] {0.1, 1, 700, 1_000_000}) {
            for (Advice advice : advice(new Findings(perS, perS, 1, 0, perS, true, true))) {
                String key = advice.command().replaceAll(".* ", "");
                assertThat(Limits.isValid(key, Long.toString(advice.value())))
                        .as(advice.toString())
                        .isTrue();
            }
        }
    }

    @Test
    void lower_bounds_are_said_and_a_limit_that_fits_is_left() {
        Findings found = new Findings(21_300, 1_239, 80, 7, 630, true, true);
        String text = Report.text(
                new Original("518", 2, "on"), found, NOW, Instant.parse("2026-11-21T20:00:00Z"));
        assertThat(text)
                .contains("the generator was the limit")
                .contains("p99 80 ms, 7 times BUSY")
                .contains("kept up: at least so many")
                .contains("./seckill limits set edge.global_qps 1100\n")
                .contains("./seckill limits product 518 qps 500\n")
                .contains("./seckill limits set order.rate_per_second 500   # as it is\n");
    }

    private static List<Advice> advice(Findings found) {
        return Advice.of("518", found, NOW);
    }
}
