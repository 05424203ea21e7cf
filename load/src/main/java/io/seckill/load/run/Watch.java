package io.seckill.load.run;

import io.seckill.load.AtCtrlC;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.run.Report.Flow;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
 * ended. Counters are of the whole copy: sales that run beside are in them. What a part did not
 * tell is unknown, and no rate is made of it: the next known value is compared with the last known
 * one, over the time between them. A part that was started again counts from 0.
 */
final class Watch implements AutoCloseable {

    static final String ATTEMPTS = "attempts";
    static final String REFUSED = "refused at the edge";
    static final String ACCEPTED = "accepted";
    static final String LANDED = "landed";
    static final List<String> NAMES = List.of(ATTEMPTS, REFUSED, ACCEPTED, LANDED);

    static final long UNKNOWN = -1;

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

    /** Counts in the order of NAMES; UNKNOWN where the part did not answer. */
    record Sample(long atNs, List<Long> counts) {}

    /** One count at a time. */
    private record Known(long atNs, long count) {}

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
        List<Known> known = known(series, which);
        long count = 0;
        double best = 0;
        long fromNs = 0;
        long toNs = 0;
        for (int i = 1; i < known.size(); i++) {
            Known before = known.get(i - 1);
            Known now = known.get(i);
            long more = more(before, now);
            if (more > 0) {
                fromNs = count == 0 ? before.atNs() : fromNs;
                toNs = now.atNs();
                count += more;
                best = Math.max(best, perS(more, before.atNs(), now.atNs()));
            }
        }
        return new Flow(count, perS(count, fromNs, toNs), best);
    }

    private static List<Known> known(List<Sample> series, int which) {
        return series.stream()
                .map(sample -> new Known(sample.atNs(), sample.counts().get(which)))
                .filter(each -> each.count() != UNKNOWN)
                .toList();
    }

    private static long more(Known before, Known now) {
        return now.count() >= before.count() ? now.count() - before.count() : now.count();
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
            series.add(sample());
            teller.accept(line(series));
        }
    }

    /** So far, and in the last second; "?" for what is unknown now. */
    static String line(List<Sample> series) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < NAMES.size(); i++) {
            List<Known> known =
                    known(series.subList(Math.max(0, series.size() - 2), series.size()), i);
            line.append(i == 0 ? "" : ", ").append(NAMES.get(i)).append(' ');
            line.append(flow(series, i).count());
            line.append(
                    known.size() < 2
                            ? " (?/s)"
                            : " (%.0f/s)"
                                    .formatted(perS(
                                            more(known.get(0), known.get(1)),
                                            known.get(0).atNs(),
                                            known.get(1).atNs())));
        }
        return line.toString();
    }

    private Sample sample() {
        String edge = text(copy.edgeInternalPort(), "/metrics");
        String flashSale = text(copy.flashSalePort(), "/actuator/prometheus");
        String order = text(copy.orderPort(), "/actuator/prometheus");
        return new Sample(
                System.nanoTime(),
                List.of(
                        sum(edge, "seckill_attempts_total"),
                        sum(edge, "seckill_refused_total", "seckill_held_back_total"),
                        sum(flashSale, "seckill_accepted_total"),
                        sum(order, "seckill_ordered_total")));
    }

    /** Of counters over their labels; 0 when none is there, UNKNOWN of no answer. */
    static long sum(String prometheus, String... names) {
        if (prometheus.isEmpty()) {
            return UNKNOWN;
        }
        try (Stream<String> lines = prometheus.lines()) {
            return lines.filter(line -> Stream.of(names)
                            .anyMatch(name ->
                                    line.startsWith(name + "{") || line.startsWith(name + " ")))
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
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            return answer.statusCode() == 200 ? answer.body() : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
