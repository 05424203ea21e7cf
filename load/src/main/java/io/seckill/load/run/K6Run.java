package io.seckill.load.run;

import static java.util.Objects.requireNonNull;

import io.seckill.contracts.Json;
import io.seckill.load.AtCtrlC;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.run.Outcome.Quantiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs a script of load/ by k6 and reads what its summary counted. */
final class K6Run {

    private static final int THRESHOLDS_BREACHED = 99;
    private static final String SUMMARY = "k6.json";
    private static final String HTML = "k6.html";
    private static final String LOG = "k6.log";

    private final RunningCopy copy;
    private final Path folder;

    /** folder: for the summary, the HTML report and what k6 says. */
    K6Run(RunningCopy copy, Path folder) {
        this.copy = copy;
        this.folder = folder;
    }

    Outcome run(Plan plan, String productId, String limits)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        plan.k6(), "run", "--quiet", script(plan.crowd()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(LOG).toFile());
        builder.environment().putAll(environment(plan, productId, limits));
        Process k6 = builder.start();
        AtCtrlC end = new AtCtrlC("end-k6", k6::destroy);
        int code = k6.waitFor();
        end.close();
        Path summary = folder.resolve(SUMMARY);
        if ((code != 0 && code != THRESHOLDS_BREACHED) || !Files.exists(summary)) {
            throw new IllegalStateException("k6 ended with " + code + ": " + lastWords());
        }
        return outcome(Json.read(Files.readString(summary), Map.class));
    }

    private static String script(Crowd crowd) {
        return RunningCopy.command()
                .resolveSibling("load")
                .resolve(crowd.script())
                .toString();
    }

    private Map<String, String> environment(Plan plan, String productId, String limits) {
        Map<String, String> told = new HashMap<>();
        told.put("BASE_URL", "http://127.0.0.1:" + copy.edgePort());
        told.put("PRODUCT", productId);
        told.put("KEY_FILE", copy.tokenKeys().toAbsolutePath().toString());
        told.put("RATE", Integer.toString(plan.ratePerS()));
        told.put("DURATION", plan.durationS() + "s");
        told.put("STOCK", Long.toString(plan.stock()));
        told.put("LIMITS", limits);
        told.put("SUMMARY", folder.resolve(SUMMARY).toString());
        told.put("K6_NO_USAGE_REPORT", "true");
        told.put("K6_WEB_DASHBOARD", "true");
        told.put("K6_WEB_DASHBOARD_PORT", "-1"); // the file, no server
        told.put("K6_WEB_DASHBOARD_PERIOD", "1s");
        told.put("K6_WEB_DASHBOARD_EXPORT", folder.resolve(HTML).toString());
        if (plan.users() > 0) {
            told.put("USERS", Integer.toString(plan.users()));
        }
        return told;
    }

    private String lastWords() throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve(LOG))) {
            return lines.filter(line -> line.contains("level=error"))
                    .reduce((first, second) -> second)
                    .orElse("read " + folder.resolve(LOG));
        }
    }

    static Outcome outcome(Map<?, ?> summary) {
        Map<?, ?> metrics = object(summary, "metrics");
        Map<?, ?> state = object(summary, "state");
        Map<String, Quantiles> times = new HashMap<>();
        for (String name :
                List.of(Outcome.ATTEMPT, Outcome.REFUSED, Outcome.ACCEPTED, Outcome.ORDERED)) {
            if (metrics.get(name) instanceof Map<?, ?> metric) {
                times.put(name, quantiles(object(metric, "values")));
            }
        }
        List<String> breached = breached(metrics);
        return new Outcome(
                count(metrics, "attempts"),
                count(metrics, "accepted"),
                count(metrics, "refused"),
                count(metrics, "sold_out"),
                count(metrics, "already_bought"),
                count(metrics, "unknown"),
                count(metrics, "empty_handed"),
                count(metrics, "gave_up"),
                count(metrics, "ordered"),
                count(metrics, "rejected"),
                count(metrics, "no_result"),
                number(state.get("testRunDurationMs")) / 1_000,
                breached.stream().anyMatch(each -> each.contains("iterations")),
                times,
                breached);
    }

    private static Quantiles quantiles(Map<?, ?> values) {
        return new Quantiles(
                number(values.get("p(50)")),
                number(values.get("p(95)")),
                number(values.get("p(99)")));
    }

    private static List<String> breached(Map<?, ?> metrics) {
        List<String> breached = new ArrayList<>();
        metrics.forEach((name, metric) -> {
            if (metric instanceof Map<?, ?> of && of.get("thresholds") instanceof Map<?, ?> rules) {
                rules.forEach((rule, result) -> {
                    if (result instanceof Map<?, ?> known
                            && !Boolean.TRUE.equals(known.get("ok"))) {
                        breached.add(name + " is not " + rule);
                    }
                });
            }
        });
        breached.sort(null);
        return breached;
    }

    private static long count(Map<?, ?> metrics, String name) {
        return metrics.get(name) instanceof Map<?, ?> metric
                ? (long) number(object(metric, "values").get("count"))
                : 0;
    }

    private static Map<?, ?> object(Map<?, ?> from, String name) {
        return (Map<?, ?>) requireNonNull(from.get(name), () -> "k6's summary has no " + name);
    }

    private static double number(@Nullable Object value) {
        return value instanceof Number number ? number.doubleValue() : 0;
    }
}
