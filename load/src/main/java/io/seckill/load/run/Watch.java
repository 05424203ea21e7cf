package io.seckill.load.run;

import io.seckill.load.AtCtrlC;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.run.Report.Flow;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Reads what edge and services count, once a second, tells it, and keeps the series.
 *
 * <p>One thread of its own from {@link #start} to {@link #close}; the series is read after it has
 * ended. Counters are of the whole copy: sales that run beside are in them. A part that does not
 * answer keeps its last value, so that a restart shows as a gap and not as a negative rate.
 */
final class Watch implements AutoCloseable {

    static final String ATTEMPTS = "attempts";
    static final String REFUSED = "refused at the edge";
    static final String ACCEPTED = "accepted";
    static final String LANDED = "landed";
    static final List<String> NAMES = List.of(ATTEMPTS, REFUSED, ACCEPTED, LANDED);

    private static final long PERIOD_MS = 1_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final RunningCopy copy;
    private final Consumer<String> teller;
    private final List<Sample> series = new ArrayList<>();
    private final Thread thread = new Thread(this::watch, "watch");
    private volatile boolean ended;

    Watch(RunningCopy copy, Consumer<String> teller) {
        this.copy = copy;
        this.teller = teller;
        thread.setDaemon(true);
    }

    /** Counts by name, in the order of NAMES. */
    record Sample(long atNs, List<Long> counts) {}

    Watch start() {
        series.add(sample());
        thread.start();
        return this;
    }

    @Override
    public void close() {
        ended = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Map<String, Flow> flows() {
        Map<String, Flow> flows = new LinkedHashMap<>();
        for (int i = 0; i < NAMES.size(); i++) {
            flows.put(NAMES.get(i), flow(series, i));
        }
        return flows;
    }

    static Flow flow(List<Sample> series, int which) {
        long count = 0;
        double best = 0;
        long fromNs = 0;
        long toNs = 0;
        for (int i = 1; i < series.size(); i++) {
            Sample before = series.get(i - 1);
            Sample now = series.get(i);
            long more = now.counts().get(which) - before.counts().get(which);
            if (more > 0) {
                fromNs = count == 0 ? before.atNs() : fromNs;
                toNs = now.atNs();
                count += more;
                best = Math.max(best, perS(more, before.atNs(), now.atNs()));
            }
        }
        return new Flow(count, perS(count, fromNs, toNs), best);
    }

    /** A part of a second counts as one: what came in an instant is no rate. */
    private static double perS(long count, long fromNs, long toNs) {
        return count / Math.max(1, (toNs - fromNs) / 1e9);
    }

    private void watch() {
        while (!ended && !AtCtrlC.hasBegun()) {
            try {
                Thread.sleep(PERIOD_MS);
            } catch (InterruptedException e) {
                return;
            }
            Sample now = sample();
            series.add(now);
            teller.accept(line(series.get(0), series.get(series.size() - 2), now));
        }
    }

    private static String line(Sample first, Sample before, Sample now) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < NAMES.size(); i++) {
            long all = now.counts().get(i) - first.counts().get(i);
            double perS =
                    perS(now.counts().get(i) - before.counts().get(i), before.atNs(), now.atNs());
            line.append(i == 0 ? "" : ", ")
                    .append("%s %d (%.0f/s)".formatted(NAMES.get(i), all, perS));
        }
        return line.toString();
    }

    private Sample sample() {
        List<Long> last = series.isEmpty()
                ? List.of(0L, 0L, 0L, 0L)
                : series.get(series.size() - 1).counts();
        String edge = text(copy.edgeInternalPort(), "/metrics");
        String flashSale = text(copy.flashSalePort(), "/actuator/prometheus");
        String order = text(copy.orderPort(), "/actuator/prometheus");
        return new Sample(
                System.nanoTime(),
                List.of(
                        Math.max(sum(edge, "seckill_attempts_total"), last.get(0)),
                        Math.max(sum(edge, "seckill_refused_total"), last.get(1)),
                        Math.max(sum(flashSale, "seckill_accepted_total"), last.get(2)),
                        Math.max(sum(order, "seckill_ordered_total"), last.get(3))));
    }

    /** Of a counter over its labels; 0 when it is not there. */
    static long sum(String prometheus, String name) {
        try (Stream<String> lines = prometheus.lines()) {
            return lines.filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                    .mapToLong(line ->
                            (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        }
    }

    private String text(int port, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(TIMEOUT)
                .build();
        try {
            return http.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
