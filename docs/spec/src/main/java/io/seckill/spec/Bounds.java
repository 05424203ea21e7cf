package io.seckill.spec;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** How large a world is, and what may happen in it. */
record Bounds(
        Set<Rule> rules,
        List<Integer> units,
        List<Buyer> buyers,
        int tries,
        int faults,
        int recoverers,
        int topUps,
        boolean repeats,
        Set<Fault> allowed) {

    /** Somebody who wants so many units; a bad one's reservations can never become orders. */
    record Buyer(String name, int units, boolean bad) {}

    /** Kinds of faults, each of which a walk may be without. */
    enum Fault {
        LOSS,
        SPLIT,
        FAIL_BACK,
        HANDS,
        DROPS,
        BAD_BUYER,
        RETIRE
    }

    private static final List<String> NAMES = List.of("ann", "bob", "cas", "dan");
    private static final List<List<Integer>> UNITS = List.of(
            List.of(1),
            List.of(2),
            List.of(3),
            List.of(5),
            List.of(2, 1),
            List.of(1, 1),
            List.of(2, 2),
            List.of(3, 4));

    boolean has(Rule rule) {
        return rules.contains(rule);
    }

    boolean allows(Fault fault) {
        return allowed.contains(fault);
    }

    /** Two buyers, one of two units, two units in one shard, nothing said twice. */
    static Bounds tiny(Set<Rule> rules, int faults, Set<Fault> allowed) {
        List<Buyer> two = List.of(new Buyer("ann", 1, false), new Buyer("bob", 2, false));
        return new Bounds(rules, List.of(2), two, 1, faults, 1, 0, false, allowed);
    }

    static Bounds drawn(Set<Rule> rules, RandomGenerator random) {
        Set<Fault> allowed = EnumSet.of(Fault.LOSS);
        for (Fault fault : Fault.values()) {
            if (random.nextInt(10) < 4) {
                allowed.add(fault);
            }
        }
        if (allowed.contains(Fault.FAIL_BACK)) {
            allowed.add(Fault.SPLIT);
        }
        int buyers = 2 + random.nextInt(3);
        boolean bad = allowed.contains(Fault.BAD_BUYER) && random.nextBoolean();
        int most = 1 + random.nextInt(2);
        return new Bounds(
                rules,
                UNITS.get(random.nextInt(UNITS.size())),
                IntStream.range(0, buyers)
                        .mapToObj(i -> new Buyer(
                                NAMES.get(i), 1 + random.nextInt(most), bad && i == buyers - 1))
                        .toList(),
                2,
                3,
                1 + random.nextInt(2),
                random.nextInt(10) < 4 ? 2 : 0,
                true,
                allowed);
    }
}
