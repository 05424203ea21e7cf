package io.seckill.load.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableTest {

    private static final Row FLOOR = new Row("return 429", 80_000, "/s")
            .costing(1_000, Map.of("floor", 5_000L, Row.CLIENT, 8_000L));
    private static final Row SOLD_OUT = new Row("sold out", 20_000, "/s")
            .against("return 429", 80_000)
            .costing(1_000, Map.of("edge", 40_000L, "stock", 100L, Row.CLIENT, 9_000L));

    @Test
    void a_table_is_aligned_and_has_no_empty_column() {
        assertThat(Table.text(result(FLOOR, SOLD_OUT)).lines())
                .containsExactly(
                        "what           figure  ratio to its floor               CPU µs  by part   "
                                + "  client µs",
                        "return 429  80,000 /s                                     5.00  floor 5.00"
                                + "       8.00",
                        "sold out    20,000 /s  0.250 of return 429 (80,000 /s)    40.1  edge 40.0 "
                                + "       9.00");
    }

    @Test
    void the_client_is_in_no_sum_and_small_parts_are_left_out() {
        assertThat(SOLD_OUT.cpuPerAttemptUs()).isEqualTo(40.1);
        assertThat(Table.markdown(result(SOLD_OUT))).contains("| edge 40.0 | 9.00 |");
    }

    @Test
    void a_row_that_did_not_come_out_right_says_so_first() {
        Row row =
                SOLD_OUT.remarked("by hand").judged("9 orders for 10 accepted").judged("");
        assertThat(result(row).isRight()).isFalse();
        assertThat(Table.text(result(row))).contains("WRONG: 9 orders for 10 accepted; by hand");
    }

    @Test
    void a_bar_in_a_cell_does_not_end_it() {
        assertThat(Table.markdown(result(new Row("a|b", 1, "s")))).contains("| a\\|b | 1.00 s |");
    }

    @Test
    void what_was_not_measured_is_empty_and_not_a_number() {
        Row row = new Row("idle", Double.NaN, "ms");
        assertThat(row.cpuPerAttemptUs()).isNaN();
        assertThat(Table.text(result(row))).doesNotContain("NaN");
    }

    private static Result result(Row... rows) {
        return new Result("refusals", "About.", List.of(rows), Map.of("qps", "2000"));
    }
}
