package io.seckill.load.bench;

import io.seckill.contracts.Limits;
import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.copy.Database;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.PartUsage;

import java.util.List;
import java.util.Map;

/**
 * How fast buyers are told no when more wait than can be written in time, and that landing goes on
 * meanwhile.
 *
 * <p>As many wait as in {@link Landed}; then orders are allowed so slowly that most cannot be
 * reached, and all of them have waited for too long already.
 */
final class Backlog implements Scenario {

    private static final int WAITING = 20_000;
    private static final int LOW = 1; // a second, while they are made
    private static final int PER_SECOND = 500; // then; all of them would take 40 s
    private static final int A_DAY_MS = 86_400_000;
    private static final int LATE_MS = 10_000;
    private static final int LEAST_LATE_MS =
            1_000; // the lowest that may be set, however small the scale

    @Override
    public String name() {
        return "backlog";
    }

    @Override
    public String about() {
        return "Reservations rejected per second, with row, event and return committed, while 20,000"
                + " wait, 500/s may land and what has waited for 10 s is late; against those that"
                + " landed meanwhile.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        Selling.warmUp(rig);
        int count = rig.scaled(WAITING);
        String product = Selling.open(rig, count);
        rig.limits().putGlobal(Limits.ORDER_BACKLOG_MAX_AGE_MS, A_DAY_MS);
        rig.limits().putGlobal(Limits.ORDER_RATE_PER_SECOND, LOW);
        LimitKeeper.awaitFelt();
        Progress.say("reservations that wait");
        Buyers buyers = Selling.buyers(rig, product, count, 0);
        rig.measure(buyers);
        Landed.awaitSent(rig, product);
        Thread.sleep(lateMs(rig));
        try (Database database = new Database(rig.copy())) {
            return List.of(refused(rig, database, product, buyers.accepted()));
        }
    }

    private static Row refused(Rig rig, Database database, String product, long all)
            throws Exception {
        Progress.say("too many wait");
        Map<String, Long> cpuBefore = rig.cpuUs();
        Landing rejected = new Landing();
        Landing landed = new Landing();
        rejected.add(System.nanoTime(), database.rejected());
        rig.limits().putGlobal(Limits.ORDER_RATE_PER_SECOND, rig.scaled(PER_SECOND));
        rig.limits().putGlobal(Limits.ORDER_BACKLOG_MAX_AGE_MS, lateMs(rig));
        Landing.await(() -> {
            long orders = database.landed(product);
            landed.add(System.nanoTime(), orders);
            rejected.add(System.nanoTime(), database.rejected());
            return rejected.count() + orders >= all;
        });
        Map<String, Long> used = PartUsage.since(cpuBefore, rig.cpuUs());
        return new Row("rejected", rejected.perSecond(), "/s")
                .against("landed meanwhile", landed.perSecond(rejected))
                .costing(rejected.count() + landed.count(), used)
                .remarked("the middle four fifths of %,d; %,d landed, until the last of both"
                        .formatted(rejected.count(), landed.count()))
                .judged(Verdict.of(rig.sales().quietBooks(product), database.landed(product)));
    }

    private static int lateMs(Rig rig) {
        return Math.max(LEAST_LATE_MS, rig.scaled(LATE_MS));
    }
}
