package io.seckill.load.faults;

import io.seckill.load.Command;
import io.seckill.load.Progress;
import io.seckill.load.copy.RunningCopy;

import java.util.ArrayList;
import java.util.List;

/**
 * `faults [FAULT…] [--rounds N] [--seed S]`: rounds of each fault, a line each as they end and then
 * a table; 1 when one did not come out right, or when no round of a fault has bitten.
 */
public final class FaultsCommand implements Command {

    private static final int SEEDS = 100_000_000;

    @Override
    public void check(List<String> words) {
        Wish.of(words, 1);
    }

    @Override
    public int run(List<String> words, RunningCopy copy) throws Exception {
        Wish wish = Wish.of(words, 1 + System.nanoTime() % SEEDS);
        List<Row> rows = new ArrayList<>();
        for (Fault fault : wish.faults()) {
            List<Outcome> outcomes = new ArrayList<>();
            for (int n = 0; n < wish.rounds(); n++) {
                Outcome outcome = new Round(copy, fault, wish.seed() + n).run();
                Progress.say(outcome.words());
                outcomes.add(outcome);
            }
            rows.add(Row.of(fault.title(), outcomes));
        }
        System.out.println(Row.HEAD);
        rows.forEach(System.out::println);
        return rows.stream().allMatch(Row::isRight) ? 0 : 1;
    }

    /** What all rounds of a fault came to. */
    record Row(String fault, long right, long broken, long vacuous, long bites, long slowestMs) {

        static final String HEAD = "%-20s %6s %6s %7s %6s %10s"
                .formatted("FAULT", "RIGHT", "BROKEN", "VACUOUS", "BITES", "SLOWEST S");

        static Row of(String fault, List<Outcome> outcomes) {
            long broken = outcomes.stream().filter(each -> !each.isRight()).count();
            long vacuous = outcomes.stream().filter(Outcome::isVacuous).count();
            return new Row(
                    fault,
                    outcomes.size() - broken - vacuous,
                    broken,
                    vacuous,
                    outcomes.stream().mapToLong(Outcome::bite).sum(),
                    outcomes.stream().mapToLong(Outcome::quietMs).max().orElse(0));
        }

        boolean isRight() {
            return broken == 0 && right > 0;
        }

        @Override
        public String toString() {
            return "%-20s %6d %6d %7d %6d %10.1f"
                    .formatted(fault, right, broken, vacuous, bites, slowestMs / 1e3);
        }
    }
}
