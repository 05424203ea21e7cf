package io.seckill.load.client;

import com.sun.management.OperatingSystemMXBean;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What a run of the generator saw: answers by word, latencies, and the client's own CPU time. */
public final class Tally {

    private static final long LATE_NS = 50_000_000; // a rate is missed when requests leave so late
    private static final double BUSY = 0.95; // of a core: the one thread can do no more

    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final Map<String, Latency> latencies = new HashMap<>();
    private int answers;
    private int lost;
    private int due; // requests that had a time to leave at
    private int late;
    private boolean cutOff;
    private long startNs;
    private long wallNs;
    private long startThreadNs;
    private long threadNs;
    private long startCpuNs;
    private long cpuNs;

    void start() {
        startNs = System.nanoTime();
        startThreadNs = threadCpuNs();
        startCpuNs = PROCESS.getProcessCpuTime();
    }

    void end() {
        wallNs = System.nanoTime() - startNs;
        threadNs = threadCpuNs() - startThreadNs;
        cpuNs = PROCESS.getProcessCpuTime() - startCpuNs;
    }

    private static long threadCpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    void add(Traffic.Answer answer) {
        answers++;
        latencies.computeIfAbsent(answer.word(), any -> new Latency()).add(answer.latencyNs());
    }

    void lost() {
        lost++;
    }

    /** A request that leaves so long after it was due. */
    void late(long ns) {
        due++;
        late += ns > LATE_NS ? 1 : 0;
    }

    void cutOff() {
        cutOff = true;
    }

    public int answers() {
        return answers;
    }

    public int count(String word) {
        Latency latency = latencies.get(word);
        return latency == null ? 0 : latency.count();
    }

    /** Answers by the body's code or status, by HTTP's where it names none. */
    public Map<String, Integer> words() {
        Map<String, Integer> words = new TreeMap<>();
        latencies.forEach((word, latency) -> words.put(word, latency.count()));
        return words;
    }

    /** Requests whose connection ended without an answer. */
    public int lostAnswers() {
        return lost;
    }

    /**
     * The client could not send at the rate, was cut off, or had no CPU time left: its figure is a
     * lower bound.
     */
    public boolean generatorWasTheLimit() {
        return cutOff || late > due / 100 || threadNs > BUSY * wallNs;
    }

    public double seconds() {
        return wallNs / 1e9;
    }

    public double perSecond() {
        return answers / seconds();
    }

    /** Of the whole process, its collector and compiler included. */
    public long clientCpuUs() {
        return cpuNs / 1_000;
    }

    /** Milliseconds below which the fraction of answers with this word lies; NaN when none came. */
    public double latencyMs(String word, double fraction) {
        return latencies.getOrDefault(word, new Latency()).ms(fraction);
    }
}
