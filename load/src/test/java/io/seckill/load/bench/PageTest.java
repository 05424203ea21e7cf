package io.seckill.load.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PageTest {

    private static final Machine MACHINE = new Machine("abc", "2026-11-21", "a CPU", 2);

    private final Page page = new Page(Path.of("unused"), List.of("refusals", "idle"));

    @Test
    void the_first_table_comes_below_the_head_with_its_command_and_commit() {
        String text = page.with("", result("idle", 1), MACHINE);
        assertThat(text)
                .startsWith("# Benchmarks\n")
                .contains("\n\n## idle\nAbout idle.\n\n`./seckill bench idle --write`; commit abc,"
                        + " 2026-11-21, a CPU, 2 cores  \nLimits in force: qps 2000\n\n| what |");
    }

    @Test
    void sections_stand_in_the_order_of_the_scenarios_and_not_of_the_runs() {
        String text = page.with("", result("idle", 1), MACHINE);
        text = page.with(text, result("refusals", 2), MACHINE);
        assertThat(text.indexOf("## refusals")).isPositive().isLessThan(text.indexOf("## idle"));
    }

    @Test
    void only_the_section_that_was_measured_again_changes() {
        String old = page.with("", result("idle", 1), MACHINE);
        old = page.with(old, result("refusals", 2), MACHINE);
        String text = page.with(old, result("refusals", 3), MACHINE);
        assertThat(text).contains("3.00 s").doesNotContain("2.00 s");
        assertThat(text).isEqualTo(old.replace("2.00 s", "3.00 s"));
    }

    @Test
    void a_section_that_no_scenario_writes_and_a_head_that_was_edited_go() {
        String old = "# Mine\n" + page.with("", result("idle", 1), MACHINE) + "\n## gone\ntext\n";
        assertThat(page.with(old, result("idle", 1), MACHINE))
                .isEqualTo(page.with("", result("idle", 1), MACHINE));
    }

    private static Result result(String name, double figure) {
        List<Row> rows = List.of(new Row("it", figure, "s"));
        return new Result(name, "About " + name + ".", rows, Map.of("qps", "2000"));
    }
}
