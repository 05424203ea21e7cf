package io.seckill.load.faults;

import io.seckill.load.MisuseException;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** The words of {@code faults}: which, how often each, and where chance begins. */
record Wish(List<Fault> faults, int rounds, long seed) {

    /** All there are, in the order in which they are run. */
    static final List<Fault> ALL = Stream.of(
                    List.of(Loss.values()),
                    List.of(Trouble.values()),
                    List.of(new Promotion(), new RecoveryKilled(), new RecoveryCrash()),
                    List.of(TwoStocks.values()),
                    List.of(
                            new DeadShard(),
                            new RetiredShard(),
                            new LatePayment(),
                            new ShardsAway()),
                    List.of(new PartAway("broker"), new PartAway("mariadb")),
                    List.of(PartDown.values()),
                    List.of(new LedgerRowHeld(), new OrderKilled()))
            .<Fault>flatMap(List::stream)
            .toList();

    private static final int MOST_DIGITS = 9;

    /** Without a fault: all. Round n of each fault has the seed {@code seed + n}, from 0 on. */
    static Wish of(List<String> words, long anySeed) {
        List<Fault> faults = new ArrayList<>();
        int rounds = 1;
        long seed = anySeed;
        for (Iterator<String> rest = words.iterator(); rest.hasNext(); ) {
            String word = rest.next();
            switch (word) {
                case "--rounds" -> rounds = number(word, rest);
                case "--seed" -> seed = number(word, rest);
                default -> faults.add(named(word));
            }
        }
        return new Wish(faults.isEmpty() ? ALL : faults, rounds, seed);
    }

    private static int number(String name, Iterator<String> rest) {
        String value = rest.hasNext() ? rest.next() : "";
        if (!value.matches("[1-9][0-9]*") || value.length() > MOST_DIGITS) {
            throw new MisuseException(
                    name + " '" + value + "' is not a number from 1 to 999999999");
        }
        return Integer.parseInt(value);
    }

    private static Fault named(String name) {
        return ALL.stream()
                .filter(fault -> fault.title().equals(name))
                .findFirst()
                .orElseThrow(() -> new MisuseException("unknown fault '" + name + "'; there are "
                        + String.join(" ", ALL.stream().map(Fault::title).toList())));
    }
}
