package io.seckill.load.bench;

import io.seckill.load.Progress;
import io.seckill.load.bench.Rig.Measured;
import io.seckill.load.client.Tally;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Measurements taken in turns, each of all once and then again, so that what the machine does
 * otherwise falls on all of them alike; of each figure the median is taken.
 */
final class Turns {

    private static final int TURNS = 3;

    private final Rig rig;
    private final Map<String, Measurement> measurements = new LinkedHashMap<>();
    private final Map<String, List<Measured>> taken = new LinkedHashMap<>();
    private final Map<String, String> counted = new LinkedHashMap<>();
    private final Map<String, Set<String>> tolerated = new LinkedHashMap<>();

    Turns(Rig rig) {
        this.rig = rig;
    }

    interface Measurement {
        Measured take() throws Exception;
    }

    /** word: of the answers that count; {@code also}: of those that may come beside them. */
    void add(String what, String word, Set<String> also, Measurement measurement) {
        measurements.put(what, measurement);
        counted.put(what, word);
        tolerated.put(what, also);
    }

    /** One quick turn in a smoke run. */
    void take() throws Exception {
        int turns = rig.isQuick() ? 1 : TURNS;
        for (int turn = 1; turn <= turns; turn++) {
            for (Map.Entry<String, Measurement> each : measurements.entrySet()) {
                Progress.say("turn " + turn + " of " + turns + ": " + each.getKey());
                taken.computeIfAbsent(each.getKey(), any -> new ArrayList<>())
                        .add(each.getValue().take());
            }
        }
    }

    private List<Measured> of(String what) {
        return taken.getOrDefault(what, List.of());
    }

    /** Answers that count, a second. */
    double perSecond(String what) {
        String word = counted.getOrDefault(what, "");
        return median(of(what).stream()
                .map(each -> each.tally().count(word) / each.tally().seconds())
                .toList());
    }

    /** Answers that count, a second, and the CPU time for each. */
    Row row(String what) {
        String word = counted.getOrDefault(what, "");
        Map<String, Long> cpuUs = new TreeMap<>();
        of(what).forEach(each ->
                each.cpuUs().forEach((part, us) -> cpuUs.merge(part, us, Long::sum)));
        int answers =
                of(what).stream().mapToInt(each -> each.tally().count(word)).sum();
        boolean isLimit = of(what).stream().anyMatch(each -> each.tally().generatorWasTheLimit());
        return new Row(what, perSecond(what), "/s")
                .costing(answers, cpuUs)
                .remarked(isLimit ? "the generator was the limit" : "")
                .remarked(told("beside them ", others(what, word, true)))
                .judged(told("unexpected answers ", others(what, word, false)));
    }

    private static String told(String words, Map<String, Integer> counts) {
        return counts.isEmpty() ? "" : words + counts;
    }

    /** The other answers, tolerated ones or those that should not have come (or did not come). */
    private Map<String, Integer> others(String what, String word, boolean isTolerated) {
        Map<String, Integer> others = new TreeMap<>();
        for (Measured each : of(what)) {
            Tally tally = each.tally();
            tally.words().forEach((found, count) -> others.merge(found, count, Integer::sum));
            others.merge("LOST", tally.lostAnswers(), Integer::sum);
        }
        Set<String> known = tolerated.getOrDefault(what, Set.of());
        others.keySet().removeIf(found -> known.contains(found) != isTolerated);
        others.remove(word);
        others.values().removeIf(count -> count == 0);
        return others;
    }

    static double median(List<Double> figures) {
        List<Double> sorted = figures.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.isEmpty()
                ? Double.NaN
                : sorted.size() % 2 == 1
                        ? sorted.get(half)
                        : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }
}
