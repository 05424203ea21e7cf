package io.seckill.spec;

import io.seckill.spec.Bounds.Fault;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** {@code ./seckill spec}: explores, says what it explored, and tells the first violation. */
public final class Main {

    private static final int STATES_MAX = 200_000;

    private Main() {}

    /** WALKS SEED [RULE]; ends with 0 when all holds, 1 when something breaks, 2 on wrong words. */
    public static void main(String[] args) {
        try {
            Set<Rule> rules = EnumSet.allOf(Rule.class);
            if (args.length > 2) {
                rules.remove(Rule.valueOf(args[2]));
            }
            System.exit(explore(rules, Integer.parseInt(args[0]), Long.parseLong(args[1])));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            System.err.println("seckill: WALKS SEED [RULE] are wanted: " + e.getMessage());
            System.exit(2);
        }
    }

    private static int explore(Set<Rule> rules, int walks, long seed) {
        EnumSet.complementOf(EnumSet.copyOf(rules))
                .forEach(rule -> say("without " + rule + ": " + rule.text));
        Walks search = new Walks(rules);
        long startNs = System.nanoTime();
        Optional<Walks.Found> found = search.search(seed, walks);
        say("walks from seed %d on: %s, %d s"
                .formatted(seed, search.counts, (System.nanoTime() - startNs) / 1_000_000_000));
        if (found.isPresent()) {
            say("violation at seed " + found.get().seed());
            return tell(found.get().history().shortened());
        }
        return breadth(rules);
    }

    private static int breadth(Set<Rule> rules) {
        Bounds tiny = Bounds.tiny(rules, 1, EnumSet.of(Fault.LOSS, Fault.SPLIT));
        long startNs = System.nanoTime();
        Breadth search = new Breadth(tiny, STATES_MAX);
        Optional<History> found = search.search();
        say("every history of %s units for %s with %d fault: %,d states%s, %d steps deep, %d s"
                .formatted(
                        tiny.units(),
                        tiny.buyers(),
                        tiny.faults(),
                        search.states(),
                        search.isComplete() ? "" : " (not all)",
                        search.depth(),
                        (System.nanoTime() - startNs) / 1_000_000_000));
        found.ifPresent(Main::tell);
        say(found.isPresent() ? "violated" : "holds");
        return found.isPresent() ? 1 : 0;
    }

    private static int tell(History history) {
        say("%s; in %s for %s"
                .formatted(
                        history.broken(),
                        history.bounds().units(),
                        history.bounds().buyers()));
        history.told().forEach(line -> say("  " + line));
        return 1;
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
