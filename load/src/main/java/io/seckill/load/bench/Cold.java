package io.seckill.load.bench;

import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Timed;
import io.seckill.load.copy.CopyCommand;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What is accepted in the first seconds after the services have been started again. */
final class Cold implements Scenario {

    private static final int SECONDS = 10;
    private static final int USERS = 200_000; // more than can be accepted in that time
    private static final int FEW_SECONDS = 2; // at the least, however small the scale
    private static final int FEW_USERS = 40_000;
    private static final List<String> SERVICES = List.of("stock", "order", "flash-sale");

    @Override
    public String name() {
        return "cold";
    }

    @Override
    public String about() {
        return "Accepted per second in the first 10 s after a restart of all three services, as soon"
                + " as they are healthy, against the same before it.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        Selling.warmUp(rig);
        Progress.say("warm");
        Crowd first = new Crowd(rig);
        Timed warm = first.sell(rig);
        String wrong = first.verdict(rig);
        Crowd second = new Crowd(rig);
        CopyCommand command = new CopyCommand(rig.copy());
        for (String service : SERVICES) {
            Progress.say("restart " + service);
            command.run("restart", service);
        }
        Progress.say("cold");
        Timed cold = second.sell(rig);
        String what = "first " + cold.acceptedInSecond().length + " s";
        return List.of(new Row(what, cold.acceptedPerSecond(), "/s")
                .against("the same, warm", warm.acceptedPerSecond())
                .remarked("each second: " + seconds(cold) + "; warm: " + seconds(warm))
                .judged(wrong)
                .judged(second.verdict(rig)));
    }

    /** A sale and more buyers than it can serve in the time, made before the clock runs. */
    private static final class Crowd {
        private final String product;
        private final Buyers buyers;
        private final int seconds;

        Crowd(Rig rig) throws Exception {
            product = Selling.open(rig, USERS);
            buyers = Selling.buyers(rig, product, Math.max(FEW_USERS, rig.scaled(USERS)), 0);
            seconds = Math.max(FEW_SECONDS, rig.scaled(SECONDS));
        }

        Timed sell(Rig rig) {
            Timed timed = new Timed(buyers, seconds);
            rig.measure(timed);
            if (!timed.lasted()) {
                throw new IllegalStateException("the generator was the limit: too few buyers");
            }
            return timed;
        }

        String verdict(Rig rig) throws Exception {
            return rig.verdict(product, buyers.accepted());
        }
    }

    private static String seconds(Timed run) {
        return Arrays.stream(run.acceptedInSecond())
                .mapToObj(Long::toString)
                .collect(Collectors.joining(" "));
    }
}
