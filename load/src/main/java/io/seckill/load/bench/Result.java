package io.seckill.load.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a scenario measured, and with which limits.
 *
 * @param limits the values by key, the defaults too: a low limit is the commonest reason of a low
 *     figure
 */
record Result(String name, String about, List<Row> rows, Map<String, String> limits) {

    boolean isRight() {
        return rows.stream().allMatch(Row::isRight);
    }

    String limitsInForce() {
        List<String> all = new ArrayList<>();
        limits.forEach((key, value) -> all.add(key + " " + value));
        return String.join(", ", all);
    }

    /** The object of {@code --json}; load/README.md has its shape. */
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("right", isRight());
        json.put("limits", limits);
        json.put("rows", rows.stream().map(Result::json).toList());
        return json;
    }

    private static Map<String, Object> json(Row row) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("what", row.what());
        json.put("figure", row.figure());
        json.put("unit", row.unit());
        json.put("floors", row.floors().stream().map(floor -> json(row, floor)).toList());
        json.put("attempts", row.attempts());
        json.put("cpuUs", row.cpuUs());
        json.put("remark", row.remark());
        json.put("wrong", row.wrong());
        return json;
    }

    private static Map<String, Object> json(Row row, Row.Floor floor) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("what", floor.what());
        json.put("figure", floor.figure());
        json.put("ratio", row.ratio(floor));
        return json;
    }
}
