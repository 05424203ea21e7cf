package io.seckill.contracts;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The limits an operator may change while a sale runs, with their bounds (limits.json). */
public final class Limits {

    public static final String GLOBAL_QPS = "edge.global_qps";
    public static final String PRODUCT_QPS = "qps";
    public static final String ORDER_RATE_PER_SECOND = "order.rate_per_second";
    public static final String ORDER_BACKLOG_MAX_AGE_MS = "order.backlog_max_age_ms";
    public static final String ORDER_UNPAID_COUNT = "order.unpaid_count";
    public static final String QUOTA_PERCENT = "quota_percent";

    /** A row of the table; {@code scope} is "global" or "product". */
    record Row(
            String key,
            String scope,
            @JsonProperty("default") long initial,
            long min,
            long max,
            String unit,
            String about) {}

    private static final Pattern PLAIN = Pattern.compile("0|[1-9][0-9]{0,8}");
    private static final Map<String, Row> TABLE = Arrays.stream(
                    Json.table("limits.json", Row[].class))
            .collect(Collectors.toUnmodifiableMap(Row::key, Function.identity()));

    private Limits() {}

    public static Set<String> keys() {
        return TABLE.keySet();
    }

    /** Those that are everybody's. */
    public static List<String> globalKeys() {
        return keys("global");
    }

    /** Those that each product has. */
    public static List<String> productKeys() {
        return keys("product");
    }

    private static List<String> keys(String scope) {
        return TABLE.values().stream()
                .filter(row -> row.scope().equals(scope))
                .map(Row::key)
                .sorted()
                .toList();
    }

    public static long initial(String key) {
        return row(key).initial();
    }

    /**
     * The written value when it is a plain whole number within bounds, else the last good one; the
     * default where nothing is written (any more). For a control Redis that has its limits:
     * {@link RedisKeys#LIMITS_KEPT}.
     */
    public static long effective(String key, @Nullable String written, long lastGood) {
        if (written == null) {
            return initial(key);
        }
        return isValid(key, written) ? Long.parseLong(written) : lastGood;
    }

    public static boolean isValid(String key, @Nullable String written) {
        if (written == null || !PLAIN.matcher(written).matches()) {
            return false;
        }
        long value = Long.parseLong(written);
        return value >= row(key).min() && value <= row(key).max();
    }

    static Map<String, Row> table() {
        return TABLE;
    }

    private static Row row(String key) {
        Row row = TABLE.get(key);
        if (row == null) {
            throw new IllegalArgumentException("limits.json has no key " + key);
        }
        return row;
    }
}
