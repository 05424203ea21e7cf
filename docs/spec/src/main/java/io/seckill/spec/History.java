package io.seckill.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What happened in one world, up to its end or the first violation. */
record History(Bounds bounds, List<Step> steps, String broken, Map<String, Integer> counts) {

    boolean holds() {
        return broken.isEmpty();
    }

    /** The same steps again; those that no longer make sense are left out. */
    static History replay(Bounds bounds, List<Step> wanted) {
        World w = World.of(bounds);
        List<Step> steps = new ArrayList<>();
        for (Step step : wanted) {
            if (step.happens(w)) {
                steps.add(step);
                String broken = Invariants.always(w);
                if (!broken.isEmpty()) {
                    return new History(bounds, steps, broken, w.counts);
                }
            }
        }
        return new History(bounds, steps, brokenAtTheEnd(w), w.counts);
    }

    /** A crowd may come at once, or when all is healed. */
    static String brokenAtTheEnd(World w) {
        World now = w.copy();
        Healing.sellOut(now);
        if (now.soldTwice) {
            return Invariants.always(now);
        }
        if (!Healing.heal(w)) {
            return "it never gets quiet";
        }
        String broken = Invariants.quiet(w);
        if (broken.isEmpty()) {
            Healing.sellOut(w);
            broken = Healing.heal(w) ? Invariants.soldOut(w) : "it never gets quiet";
        }
        return broken;
    }

    /** Steps are left out, many at once and then singly, as long as anything still breaks. */
    History shortened() {
        History best = this;
        for (int length = steps.size(); length > 0; ) {
            Optional<History> shorter = best.without(length);
            best = shorter.orElse(best);
            length = shorter.isPresent() ? Math.min(length, best.steps.size()) : length / 2;
        }
        return best;
    }

    private Optional<History> without(int length) {
        for (int from = steps.size() - length; from >= 0; from--) {
            List<Step> fewer = new ArrayList<>(steps);
            fewer.subList(from, from + length).clear();
            History again = replay(bounds, fewer);
            if (!again.holds()) {
                return Optional.of(again);
            }
        }
        return Optional.empty();
    }

    /** Each step with what it left behind. */
    List<String> told() {
        World w = World.of(bounds);
        List<String> lines = new ArrayList<>();
        for (Step step : steps) {
            step.happens(w);
            lines.add("%-34s | %s".formatted(step, Told.of(w)));
        }
        World crowded = w.copy();
        Healing.sellOut(crowded);
        lines.add("%-34s | %s".formatted("either a crowd buys at once", Told.of(crowded)));
        lines.add("%-34s | %s".formatted("or all heals", Healing.heal(w) ? Told.of(w) : "never"));
        return lines;
    }
}
