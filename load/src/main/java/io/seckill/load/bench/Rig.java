package io.seckill.load.bench;

import io.seckill.contracts.Limits;
import io.seckill.load.AtCtrlC;
import io.seckill.load.Progress;
import io.seckill.load.client.Generator;
import io.seckill.load.client.Tally;
import io.seckill.load.client.Traffic;
import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.PartUsage;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;
import io.seckill.load.copy.SaleAdmin.Books;
import io.seckill.load.copy.SyntheticSale;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * What a scenario works with: the copy, its sales and limits, and one way to measure.
 *
 * <p>What a scenario started and which sales it made end with the rig, also after Ctrl-C.
 */
final class Rig implements AutoCloseable {

    static final int CONNECTIONS = 64;

    /** More than any of our parts can do: the limit is then never what is measured. */
    static final long UNLIMITED = 1_000_000;

    private static final long LIMIT_MS = 600_000;

    private final RunningCopy copy;
    private final int scale;
    private final BuyerTokens tokens;
    private final SaleAdmin sales;
    private final LimitKeeper limits;
    private final Deque<SyntheticSale> made = new ArrayDeque<>(); // each minds Ctrl-C itself
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final Map<Integer, String> processes = new TreeMap<>();
    private int lastNumber;
    private final AtCtrlC atCtrlC = new AtCtrlC("stop-what-was-started", this::stopAll);

    /** scale: 1 as in docs/benchmarks.md; 100: a hundredth of every count, for a smoke run. */
    Rig(RunningCopy copy, int scale, LimitKeeper limits) {
        this.copy = copy;
        this.scale = scale;
        this.limits = limits;
        tokens = BuyerTokens.of(copy);
        sales = new SaleAdmin(copy, tokens);
    }

    /** What was counted, and what each part (and the client) used of the CPU meanwhile. */
    record Measured(Tally tally, Map<String, Long> cpuUs) {}

    RunningCopy copy() {
        return copy;
    }

    BuyerTokens tokens() {
        return tokens;
    }

    SaleAdmin sales() {
        return sales;
    }

    LimitKeeper limits() {
        return limits;
    }

    boolean isQuick() {
        return scale > 1;
    }

    int scale() {
        return scale;
    }

    int scaled(int count) {
        return Math.max(1, count / scale);
    }

    /** An open sale that the edge knows, of a product of its own; it goes with the rig. */
    String newSale(long stock) throws IOException, InterruptedException {
        return newSale(stock, Map.of());
    }

    /** {@code more}: fields of the admin route's body, such as startAt. */
    String newSale(long stock, Map<String, Object> more) throws IOException, InterruptedException {
        SyntheticSale sale = new SyntheticSale(sales);
        made.push(sale);
        sale.create(stock, more);
        return sale.productId();
    }

    /** No limit of edge or order-service is what is measured; its quota stays. */
    void unlimit(String productId) throws InterruptedException {
        limits.putGlobal(Limits.GLOBAL_QPS, UNLIMITED);
        limits.putGlobal(Limits.ORDER_RATE_PER_SECOND, UNLIMITED);
        limits.putOfProduct(productId, Limits.PRODUCT_QPS, UNLIMITED);
        LimitKeeper.awaitFelt();
    }

    /** Closed with the rig. */
    <T extends AutoCloseable> T start(T what) {
        synchronized (started) {
            started.push(what);
        }
        return what;
    }

    /** A process, whose CPU time is counted as that of a part with this name. */
    <T extends AutoCloseable> T start(T process, String part, ToLongFunction<T> pid) {
        processes.put((int) pid.applyAsLong(process), part);
        return start(process);
    }

    /** A number that this run has not used yet, for users of their own. */
    int nextNumber() {
        return ++lastNumber;
    }

    /** As fast as it goes, through the edge. */
    Measured measure(Traffic traffic) {
        return measure(copy.edgePort(), traffic);
    }

    /** The first traffic is not counted. */
    Measured measureWarm(int port, Traffic first, Traffic traffic) {
        new Generator(port, CONNECTIONS, 0, LIMIT_MS).run(first);
        return measure(port, traffic);
    }

    Measured measure(int port, Traffic traffic) {
        Map<String, Long> before = cpuUs();
        Tally tally = new Generator(port, CONNECTIONS, 0, LIMIT_MS).run(traffic);
        return new Measured(tally, cpuSince(before, tally));
    }

    /** Microseconds by part so far, what was started here included. */
    Map<String, Long> cpuUs() {
        return PartUsage.cpuUs(copy, processes);
    }

    Map<String, Long> cpuSince(Map<String, Long> before, Tally tally) {
        Map<String, Long> used = PartUsage.since(before, cpuUs());
        used.put(Row.CLIENT, tally.clientCpuUs());
        return used;
    }

    /**
     * What is wrong with a sale once nothing is on its way: empty when the books balance and
     * exactly so many units were sold, no more and no fewer.
     */
    String verdict(String productId, long sold) throws IOException, InterruptedException {
        Books books = sales.quietBooks(productId);
        return Verdict.of(books, sold);
    }

    private void stopAll() {
        synchronized (started) {
            while (!started.isEmpty()) {
                try {
                    started.pop().close();
                } catch (Exception e) {
                    Progress.say("could not stop what was started: " + e.getMessage());
                }
            }
        }
    }

    @Override
    public void close() {
        stopAll();
        made.forEach(SyntheticSale::close);
        atCtrlC.close();
    }
}
