package io.seckill.load.bench;

import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Tally;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How long an attempt, and from it to the order, takes at half of the highest rate of buyers who
 * poll. Those who poll finely enough to tell are few, for who polls slows those who try.
 */
final class OrderLatency implements Scenario {

    private static final int FULL = 6_000;
    private static final int HALF_SECONDS = 20;
    private static final long POLL_MS = 500;
    private static final long WATCH_MS = 20; // as fine as the figure is
    private static final int WATCHED_ONE_OF = 20;
    private static final Set<String> OF_BUYERS = Set.of("ACCEPTED", "PENDING", "ORDERED");

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String about() {
        return "Answer to an attempt, and from ACCEPTED to the poll that says ORDERED, at half of the"
                + " rate at which as many buyers as could come, who polled every 500 ms, had their"
                + " orders just before; open arrivals; one of 20 winners polls every 20 ms, every"
                + " 100 ms after the first 10 polls, and tells when it is ORDERED.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        Selling.warmUp(rig);
        double full = fullRate(rig);
        double half = full / 2;
        int count = rig.scaled((int) (half * HALF_SECONDS));
        String product = Selling.open(rig, count);
        Buyers buyers = Selling.buyers(rig, product, count, POLL_MS)
                .watchingOneOf(WATCHED_ONE_OF, WATCH_MS);
        Progress.say("half load");
        Rig.Measured measured = Selling.measureAt(rig, half, buyers);
        Tally tally = measured.tally();
        Row one = new Row("", 0, "ms")
                .remarked("%.0f/s of %.0f/s".formatted(half, full))
                .remarked(tally.generatorWasTheLimit() ? "the generator was the limit" : "")
                .remarked(refused(tally))
                .judged(rig.verdict(product, count))
                .judged(unseen((count + WATCHED_ONE_OF - 1) / WATCHED_ONE_OF
                        - buyers.orderedAfter().count()));
        return List.of(
                one.of("attempt, p50", tally.latencyMs("ACCEPTED", 0.5))
                        .costing(count, measured.cpuUs())
                        .remarked("CPU per buyer, with the polls"),
                one.of("attempt, p99", tally.latencyMs("ACCEPTED", 0.99)),
                one.of("accepted to ORDERED, p50", buyers.orderedAfter().ms(0.5)),
                one.of("accepted to ORDERED, p99", buyers.orderedAfter().ms(0.99)));
    }

    /** Attempts that were no longer one of half the rate: each came again. */
    private static String refused(Tally tally) {
        Map<String, Integer> others = new TreeMap<>(tally.words());
        others.keySet().removeAll(OF_BUYERS);
        return others.isEmpty() ? "" : "beside them " + others;
    }

    private static String unseen(int count) {
        return count == 0 ? "" : count + " never saw their order";
    }

    private static double fullRate(Rig rig) throws Exception {
        Progress.say("full load");
        int count = rig.scaled(FULL);
        String product = Selling.open(rig, count);
        Tally tally = rig.measure(Selling.buyers(rig, product, count, POLL_MS)).tally();
        rig.sales().quietBooks(product);
        return count / tally.seconds();
    }
}
