package io.seckill.load.bench;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;

import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Latency;
import io.seckill.load.client.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * How long an attempt, and from it to the order, takes at half of the highest rate of buyers who
 * poll. Those who poll finely enough to tell are few, for who polls slows those who try.
 */
final class OrderLatency implements Scenario {

    private static final int FULL = 6_000;
    private static final int WARM_TURNS = 5;
    private static final int TURNS = 3;
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
                + " 100 ms after the first 10 polls, and tells when it is ORDERED. Medians of three"
                + " turns; before them that many buyers came five times, for services that run warm.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        Selling.warmUp(rig);
        for (int i = 0; i < WARM_TURNS && !rig.isQuick(); i++) {
            fullRate(rig);
        }
        double full = fullRate(rig);
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < (rig.isQuick() ? 1 : TURNS); i++) {
            turns.add(turn(rig, full / 2));
        }
        Row row = new Row("", 0, "ms").remarked("%.0f/s of %.0f/s".formatted(full / 2, full));
        for (Turn turn : turns) {
            row = row.remarked(turn.remark).judged(turn.wrong);
        }
        return List.of(
                median(row, "attempt, p50", turns, t -> t.tally.latencyMs("ACCEPTED", 0.5))
                        .costing(
                                turns.stream().mapToLong(Turn::count).sum(),
                                turns.stream()
                                        .flatMap(turn -> turn.cpuUs.entrySet().stream())
                                        .collect(groupingBy(
                                                Map.Entry::getKey,
                                                summingLong(Map.Entry::getValue))))
                        .remarked("CPU per buyer, with the polls"),
                median(row, "attempt, p99", turns, t -> t.tally.latencyMs("ACCEPTED", 0.99)),
                median(row, "accepted to ORDERED, p50", turns, t -> t.ordered.ms(0.5)),
                median(row, "accepted to ORDERED, p99", turns, t -> t.ordered.ms(0.99)));
    }

    private record Turn(
            int count,
            Tally tally,
            Map<String, Long> cpuUs,
            Latency ordered,
            String remark,
            String wrong) {}

    private static Row median(
            Row row, String what, List<Turn> turns, ToDoubleFunction<Turn> figure) {
        return row.of(
                what, Turns.median(turns.stream().map(figure::applyAsDouble).toList()));
    }

    private static Turn turn(Rig rig, double ratePerS) throws Exception {
        Progress.say("half load");
        int count = rig.scaled((int) (ratePerS * HALF_SECONDS));
        String product = Selling.open(rig, count);
        Buyers buyers = Selling.buyers(rig, product, count, POLL_MS)
                .watchingOneOf(WATCHED_ONE_OF, WATCH_MS);
        Rig.Measured measured = Selling.measureAt(rig, ratePerS, buyers);
        Tally tally = measured.tally();
        int unseen = (count + WATCHED_ONE_OF - 1) / WATCHED_ONE_OF
                - buyers.orderedAfter().count();
        return new Turn(
                count,
                tally,
                measured.cpuUs(),
                buyers.orderedAfter(),
                Row.joined(
                        tally.generatorWasTheLimit() ? "the generator was the limit" : "",
                        refused(tally)),
                Row.joined(rig.verdict(product, count), unseen(unseen)));
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
