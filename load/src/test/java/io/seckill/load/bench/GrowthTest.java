package io.seckill.load.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthTest {

    @Test
    void first_point_is_the_floor_of_all() {
        List<Row> rows = Growth.againstFirst(List.of(point(10, "few"), point(25, "many")));
        assertThat(rows)
                .extracting(row -> row.ratio(row.floors().get(0)))
                .containsExactly(1.0, 2.5);
        assertThat(rows).allMatch(row -> row.floors().get(0).what().equals("few"));
    }

    @Test
    void cost_is_of_all_parts_and_per_attempt() {
        Row row =
                new AttemptCost(1_000, Map.of("edge", 30_000L, "order", 70_000L), 250, "").row("x");
        assertThat(row.figure()).isEqualTo(100);
        assertThat(row.cpuPerAttemptUs()).isEqualTo(100);
    }

    private static Row point(long perAttemptUs, String what) {
        return new AttemptCost(100, Map.of("edge", perAttemptUs * 100), 1, "").row(what);
    }
}
