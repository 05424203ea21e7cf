package io.seckill.load.client;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;

/** What a run of the generator saw: answers by word, latencies, and its own CPU time. */
public final class Tally {

    private static final long LATE_NS = 50_000_000; // a rate is missed when requests leave so late

    private final Map<String, Integer> words = new TreeMap<>();
    private final Map<String, Latency> latencies = new TreeMap<>();
    private int answers;
    private int lost;
    private int late;
    private boolean cutOff;
    private long startNs;
    private long wallNs;
    private long startCpuNs;
    private long cpuNs;

    void start() {
        startNs = System.nanoTime();
        startCpuNs = threadCpuNs();
    }

    void end() {
        wallNs = System.nanoTime() - startNs;
        cpuNs = threadCpuNs() - startCpuNs;
    }

    private static long threadCpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    void add(Traffic.Answer answer) {
        answers++;
        words.merge(answer.word(), 1, Integer::sum);
        latencies.computeIfAbsent(answer.word(), any -> new Latency()).add(answer.latencyNs());
    }

    void lost() {
        lost++;
    }

    void late(long ns) {
        late += ns > LATE_NS ? 1 : 0;
    }

    void cutOff() {
        cutOff = true;
    }

    public int answers() {
        return answers;
    }

    public int count(String word) {
        return words.getOrDefault(word, 0);
    }

    /** Answers by the body's code or status, by HTTP's where it names none. */
    public Map<String, Integer> words() {
        return words;
    }

    /** Requests whose connection ended without an answer. */
    public int lostAnswers() {
        return lost;
    }

    /** The client could not send at the rate, or was cut off: its figure is a lower bound. */
    public boolean generatorWasTheLimit() {
        return cutOff || late > answers / 100;
    }

    public double seconds() {
        return wallNs / 1e9;
    }

    public double perSecond() {
        return answers / seconds();
    }

    public double clientCpuUs() {
        return cpuNs / 1e3;
    }

    /** Milliseconds below which the fraction of answers with this word lies; NaN when none came. */
    public double latencyMs(String word, double fraction) {
        return latencies.getOrDefault(word, new Latency()).ms(fraction);
    }
}
