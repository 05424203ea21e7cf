package io.seckill.testkit;

import io.seckill.contracts.CounterTable;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a hop prints for Prometheus at one moment, and whether its books balance. */
public final class Metrics {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Pattern SAMPLE =
            Pattern.compile("(seckill_[a-z_]+)(?:\\{(.*)})? ([0-9.E+]+)");

    private final String hop;
    private final Map<String, Double> sums = new TreeMap<>();

    private Metrics(String hop, String text) {
        this.hop = hop;
        text.lines().forEach(this::read);
    }

    /** Reads {@code /actuator/prometheus} of a service, or {@code /metrics} of an edge. */
    public static Metrics of(String hop, URI address) {
        try {
            HttpResponse<String> answer = CLIENT.send(
                    HttpRequest.newBuilder(address)
                            .timeout(Duration.ofSeconds(20))
                            .build(),
                    BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(address + " answers " + answer.statusCode());
            }
            return new Metrics(hop, answer.body());
        } catch (IOException e) {
            throw new IllegalStateException(address + " does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(address + " was not waited for", e);
        }
    }

    /** A counter of this hop over all its labels; 0 while it has not counted. */
    public long sum(String name) {
        CounterTable.of(hop).row(name);
        return sums.getOrDefault(name, 0.0).longValue();
    }

    /** Equations of counters.json that do not hold, when nothing is in flight; empty: all do. */
    public List<String> objections() {
        return CounterTable.of(hop).objections(sums);
    }

    private void read(String line) {
        Matcher sample = SAMPLE.matcher(line);
        if (!sample.matches()) {
            return;
        }
        if (sample.group(2) == null || !sample.group(2).contains("hop=\"" + hop + "\"")) {
            throw new IllegalStateException("not of hop " + hop + ": " + line);
        }
        sums.merge(sample.group(1), Double.valueOf(sample.group(3)), Double::sum);
    }
}
