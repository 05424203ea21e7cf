package io.seckill.contracts;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CounterTableTest {

    private static final Map<String, Double> SUMS = Map.of(
            "seckill_attempts_total", 7.0,
            "seckill_refused_total", 4.0,
            "seckill_accepted_total", 3.0);
    private final CounterTable flashSale = CounterTable.of("flash-sale");

    @Test
    void row_is_one_of_a_known_hop_and_is_there_once() {
        Set<String> seen = new HashSet<>();
        for (CounterTable.Row row : CounterTable.all()) {
            assertThat(row.hop()).isIn("edge", "flash-sale", "order", "stock");
            assertThat(row.name()).matches("seckill_[a-z]+(_[a-z]+)*_total");
            assertThat(row.labels()).doesNotContain("hop").doesNotHaveDuplicates();
            assertThat(row.help()).isNotBlank();
            assertThat(seen.add(row.hop() + " " + row.name())).as(row.name()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"edge", "flash-sale", "order", "stock"})
    void every_counter_stands_in_an_equation_of_its_hop(String hop) {
        CounterTable table = CounterTable.of(hop);
        Set<String> bound = new HashSet<>();
        for (CounterTable.Row row : table.rows()) {
            row.terms().forEach(table::row);
            assertThat(row.terms()).as(row.name()).doesNotHaveDuplicates();
            if (!row.terms().isEmpty()) {
                bound.add(row.name());
                bound.addAll(row.terms());
            }
        }
        assertThat(bound)
                .containsExactlyInAnyOrderElementsOf(
                        table.rows().stream().map(CounterTable.Row::name).toList());
    }

    @Test
    void same_name_is_the_same_thing_in_every_hop() {
        Map<String, Set<List<?>>> meanings = new HashMap<>();
        for (CounterTable.Row row : CounterTable.all()) {
            meanings.computeIfAbsent(row.name(), name -> new HashSet<>())
                    .add(List.of(row.help(), row.labels()));
        }
        assertThat(meanings).allSatisfy((name, all) -> assertThat(all).hasSize(1));
    }

    @Test
    void equation_that_holds_has_no_objection() {
        assertThat(onlyAttempts(SUMS)).isEmpty();
    }

    @Test
    void attempt_that_nobody_answered_is_an_objection() {
        Map<String, Double> sums = new HashMap<>(SUMS);
        sums.put("seckill_attempts_total", 8.0);
        assertThat(onlyAttempts(sums)).singleElement().asString().contains("8.0 and 7.0");
    }

    @Test
    void counter_that_is_missing_is_an_objection_unless_it_has_labels() {
        assertThat(flashSale.objections(Map.of()))
                .contains("flash-sale lacks seckill_attempts_total")
                .doesNotContain("flash-sale lacks seckill_refused_total");
    }

    @Test
    void unknown_counter_and_hop_are_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> flashSale.row("seckill_x_total"));
        assertThatIllegalArgumentException().isThrownBy(() -> CounterTable.of("shop"));
    }

    /** Objections to the equation of attempts; other rows are their owners' concern. */
    private Set<String> onlyAttempts(Map<String, Double> sums) {
        return flashSale.objections(sums).stream()
                .filter(text -> text.startsWith("seckill_attempts_total ="))
                .collect(toSet());
    }
}
