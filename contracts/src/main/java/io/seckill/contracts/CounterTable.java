package io.seckill.contracts;

import static java.util.stream.Collectors.toMap;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The counters of one hop and the equations they satisfy (counters.json, which Lua reads too). */
public final class CounterTable {

    /** A row; {@code sum} is "NAME + NAME + …", or null where no equation begins with it. */
    public record Row(
            String hop,
            String name,
            List<String> labels,
            String help,
            @JsonProperty("equals") @Nullable String sum) {

        /** The names whose sums make up this one. */
        List<String> terms() {
            return sum == null ? List.of() : List.of(sum.split(" \\+ "));
        }
    }

    private final String hop;
    private final Map<String, Row> rows;

    private CounterTable(String hop, Map<String, Row> rows) {
        this.hop = hop;
        this.rows = rows;
    }

    /** The rows of edge, flash-sale, order or stock. */
    public static CounterTable of(String hop) {
        Map<String, Row> rows = Arrays.stream(all())
                .filter(row -> row.hop().equals(hop))
                .collect(toMap(Row::name, Function.identity(), (a, b) -> b, LinkedHashMap::new));
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("counters.json has no hop " + hop);
        }
        return new CounterTable(hop, rows);
    }

    static Row[] all() {
        return Json.table("counters.json", Row[].class);
    }

    public List<Row> rows() {
        return List.copyOf(rows.values());
    }

    public Row row(String name) {
        Row row = rows.get(name);
        if (row == null) {
            throw new IllegalArgumentException(
                    "counters.json has no counter " + name + " of " + hop);
        }
        return row;
    }

    /**
     * The equations that do not hold, and the counters that are missing; empty when all is well. A
     * counter with labels that never counted is not there and is 0.
     *
     * @param sums per name, over all labels, taken while nothing is in flight
     */
    public List<String> objections(Map<String, Double> sums) {
        List<String> objections = new ArrayList<>();
        for (Row row : rows.values()) {
            if (row.labels().isEmpty() && !sums.containsKey(row.name())) {
                objections.add(hop + " lacks " + row.name());
            }
            double terms = row.terms().stream()
                    .mapToDouble(term -> sums.getOrDefault(term, 0.0))
                    .sum();
            double counted = sums.getOrDefault(row.name(), 0.0);
            if (row.sum() != null && counted != terms) {
                objections.add(row.name() + " = " + row.sum() + " does not hold in " + hop + ": "
                        + counted + " and " + terms + " in " + sums);
            }
        }
        return objections;
    }
}
