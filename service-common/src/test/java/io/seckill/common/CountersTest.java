package io.seckill.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.micrometer.core.instrument.Counter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CountersTest {

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Counters counters = new Counters(registry, "flash-sale");

    @Test
    void counter_without_labels_is_there_before_it_counts() {
        assertThat(registry.scrape())
                .contains("# HELP seckill_attempts_total attempts that came in\n")
                .contains("# TYPE seckill_attempts_total counter\n")
                .contains("seckill_attempts_total{hop=\"flash-sale\"} 0.0\n");
    }

    @Test
    void count_is_printed_under_the_names_of_the_table() {
        counters.count("seckill_attempts_total");
        counters.add(2, "seckill_attempts_total");
        counters.count("seckill_refused_total", "SOLD_OUT");
        counters.count("seckill_refused_total", "BUSY");

        assertThat(registry.scrape())
                .contains("seckill_attempts_total{hop=\"flash-sale\"} 3.0\n")
                .contains("seckill_refused_total{code=\"SOLD_OUT\",hop=\"flash-sale\"} 1.0\n")
                .contains("seckill_refused_total{code=\"BUSY\",hop=\"flash-sale\"} 1.0\n");
    }

    @Test
    void counter_that_is_kept_is_there_at_once_and_the_same_that_is_found() {
        Counter kept = counters.of("seckill_refused_total", "BUSY");
        assertThat(registry.scrape()).contains("{code=\"BUSY\",hop=\"flash-sale\"} 0.0\n");
        kept.increment();
        counters.count("seckill_refused_total", "BUSY");
        assertThat(kept.count()).isEqualTo(2);
    }

    @Test
    void counter_that_the_table_lacks_cannot_be_made() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> counters.count("seckill_made_up_total"))
                .withMessageContaining("seckill_made_up_total");
        assertThatIllegalArgumentException()
                .as("a counter of another hop")
                .isThrownBy(() -> counters.count("seckill_burned_total"));
        assertThat(registry.scrape()).doesNotContain("made_up", "burned");
    }

    @Test
    void labels_other_than_the_table_s_are_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> counters.count("seckill_refused_total"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> counters.count("seckill_refused_total", "BUSY", "more"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> counters.count("seckill_attempts_total", "BUSY"));
    }

    @Test
    void unknown_hop_stops_the_start() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Counters(registry, "shop"));
    }

    @Test
    void series_are_bounded() {
        assertThatIllegalStateException()
                .isThrownBy(() -> IntStream.rangeClosed(0, Counters.MAX_SERIES)
                        .forEach(i -> counters.count("seckill_refused_total", "CODE_" + i)));
    }

    @Test
    void counts_of_many_threads_are_all_there() {
        IntStream.range(0, 10_000)
                .parallel()
                .forEach(i -> counters.count("seckill_refused_total", "CODE_" + i % 7));
        assertThat(registry.get("seckill_refused_total").counters().stream()
                        .mapToDouble(counter -> counter.count())
                        .sum())
                .isEqualTo(10_000);
    }
}
