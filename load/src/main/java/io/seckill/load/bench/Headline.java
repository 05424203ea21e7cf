package io.seckill.load.bench;

import io.seckill.load.Progress;
import io.seckill.load.bench.Rig.Measured;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Tally;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The sale that all is made for: a million users, each with one attempt and as many more as they
 * are told to make, ten thousand units, until the last winner was told that the order is written.
 */
final class Headline implements Scenario {

    private static final int USERS = 1_000_000;
    private static final int UNITS = 10_000;
    private static final long POLL_MS = 500;

    @Override
    public String name() {
        return "headline";
    }

    @Override
    public String about() {
        return String.format(
                "%,d users want one of %,d units, limits raised: each tries, again when and as it is"
                        + " told, and winners ask every %d ms until they are told ORDERED. Against as"
                        + " many first attempts that an nginx answers with `return 429`.",
                USERS, UNITS, POLL_MS);
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        int users = rig.scaled(USERS);
        int units = rig.scaled(UNITS);
        FloorNginx nginx = rig.start(new FloorNginx("127.0.0.1:1"), "floor", FloorNginx::pid);
        Selling.warmUp(rig);
        String product = Selling.open(rig, units);
        Progress.say("making the tokens of " + users + " users");
        Buyers buyers = Selling.buyers(rig, product, users, POLL_MS);
        Progress.say(users + " bare refusals");
        Measured first = rig.measure(nginx.returnPort(), buyers.firstAttempts());
        Progress.say(users + " users want " + units + " units");
        Measured sale = rig.measure(buyers);
        Progress.say(users + " bare refusals again");
        Measured second = rig.measure(nginx.returnPort(), buyers.firstAttempts());
        double floor =
                Turns.median(List.of(first.tally().seconds(), second.tally().seconds()));
        return List.of(
                row("until everybody has a final word", sale, sale.tally().seconds())
                        .against("return 429", floor)
                        .remarked(words(sale.tally()))
                        .judged(wrong(rig, product, buyers, units)),
                row(String.format("%,d bare refusals", users), second, floor));
    }

    private static Row row(String what, Measured measured, double seconds) {
        return new Row(what, seconds, "s")
                .costing(measured.tally().answers(), measured.cpuUs())
                .remarked(
                        measured.tally().generatorWasTheLimit()
                                ? "the generator was the limit"
                                : "");
    }

    private static String words(Tally tally) {
        return tally.words().entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(word -> String.format("%,d %s", word.getValue(), word.getKey()))
                .collect(Collectors.joining(", "));
    }

    private static String wrong(Rig rig, String product, Buyers buyers, int units)
            throws Exception {
        List<String> wrong = new ArrayList<>();
        String books = rig.verdict(product, units);
        if (!books.isEmpty()) {
            wrong.add(books);
        }
        if (buyers.accepted() != units) {
            wrong.add(buyers.accepted() + " users accepted for " + units + " units");
        }
        if (buyers.orderedAfter().count() != units) {
            wrong.add(buyers.orderedAfter().count() + " users were told ORDERED");
        }
        return String.join("; ", wrong);
    }
}
