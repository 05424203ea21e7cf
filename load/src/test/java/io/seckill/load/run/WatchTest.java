package io.seckill.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.seckill.load.run.Report.Flow;
import io.seckill.load.run.Watch.Sample;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchTest {

    @Test
    void rate_is_of_the_seconds_in_which_something_went_on() {
        assertThat(flow(5, 5, 105, 405, 405, 405)).isEqualTo(new Flow(400, 200, 300));
    }

    @Test
    void nothing_counted_is_no_rate() {
        assertThat(flow(5, 5, 5)).isEqualTo(new Flow(0, 0, 0));
    }

    @Test
    void seconds_that_were_not_told_make_no_peak() {
        assertThat(flow(5, 105, Watch.UNKNOWN, Watch.UNKNOWN, 405, 505))
                .isEqualTo(new Flow(500, 100, 100));
    }

    @Test
    void what_was_counted_before_is_none_of_the_run_when_the_first_second_was_not_told() {
        assertThat(flow(Watch.UNKNOWN, 7_000, 7_100)).isEqualTo(new Flow(100, 100, 100));
        assertThat(flow(Watch.UNKNOWN, Watch.UNKNOWN)).isEqualTo(new Flow(0, 0, 0));
    }

    @Test
    void part_that_was_started_again_counts_from_nothing() {
        assertThat(flow(900, 1_000, 40, 140)).isEqualTo(new Flow(240, 80, 100));
    }

    @Test
    void live_line_says_what_it_does_not_know() {
        List<Sample> series = List.of(
                new Sample(0, List.of(10L, 5L, 2L, 1L)),
                new Sample(1_000_000_000, List.of(30L, Watch.UNKNOWN, 2L, 1L)));
        assertThat(Watch.line(series))
                .isEqualTo("attempts 20 (20/s), refused at the edge 0 (?/s), accepted 0 (0/s),"
                        + " landed 0 (0/s)");
    }

    @Test
    void counters_are_summed_over_their_labels_and_no_others() {
        String text = """
                # HELP seckill_refused_total attempts refused
                seckill_refused_total{code="SOLD_OUT",hop="edge"} 7
                seckill_refused_total{code="BUSY",hop="edge"} 2.0
                seckill_refused_total_created{hop="edge"} 9
                seckill_held_back_total{hop="edge"} 4
                seckill_attempts_total 1.5E3
                """;
        assertThat(Watch.sum(text, "seckill_refused_total")).isEqualTo(9);
        assertThat(Watch.sum(text, "seckill_refused_total", "seckill_held_back_total"))
                .isEqualTo(13);
        assertThat(Watch.sum(text, "seckill_attempts_total")).isEqualTo(1_500);
        assertThat(Watch.sum(text, "seckill_ordered_total")).isZero();
        assertThat(Watch.sum("", "seckill_attempts_total")).isEqualTo(Watch.UNKNOWN);
    }

    /** One sample a second. */
    private static Flow flow(long... counts) {
        List<Sample> series = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            series.add(new Sample(i * 1_000_000_000L, List.of(counts[i])));
        }
        return Watch.flow(series, 0);
    }
}
