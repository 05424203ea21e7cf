package io.seckill.load.faults;

import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.CopyCommand;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;
import io.seckill.load.copy.SyntheticSale;
import io.seckill.load.faults.Fault.Strike;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * One sale, one fault at a random moment of it, and how the sale came out.
 *
 * <p>Each decision comes from the seed; threads and clocks do not, so that a round with the same
 * seed is alike and not the same. A synthetic sale that came out right is removed, another one stays.
 */
final class Round {

    private static final int STOCK = 90;
    private static final int USERS = 140;
    private static final int LIMIT = 2; // units a user may buy
    private static final int PAY_WITHIN_S = 4;
    private static final int LONG_S = 3_600;
    private static final long QUIET_LIMIT_MS = 60_000; // after the last part runs again
    private static final int TIMES_RIGHT = 3;
    private static final long PAUSE_MS = 300;

    private final RunningCopy copy;
    private final Fault fault;
    private final long seed;
    private final RandomGenerator random;
    private final boolean closes;
    private final boolean takesTwo;
    private final Set<String> broken = new LinkedHashSet<>();

    Round(RunningCopy copy, Fault fault, long seed) {
        this.copy = copy;
        this.fault = fault;
        this.seed = seed;
        random = new SplittableRandom(seed);
        boolean byChance = random.nextBoolean();
        closes = byChance || fault.needsReturns(seed);
        takesTwo = random.nextInt(3) == 0;
    }

    Outcome run() throws Exception {
        SyntheticSale sale = new SyntheticSale(new SaleAdmin(copy, BuyerTokens.of(copy)));
        Habits habits = new Habits(closes, fault.paysLate(), takesTwo);
        try (Crowd crowd = new Crowd(copy, sale.productId(), USERS, habits, random)) {
            int shard = random.nextInt(copy.shards().size());
            Scene scene = new Scene(copy, sale.productId(), shard, crowd, seed, random, broken);
            Outcome outcome = run(scene, sale);
            if (outcome.isRight() && !fault.sellsForReal()) {
                sale.close();
            } else {
                sale.keep();
            }
            return outcome;
        }
    }

    private Outcome run(Scene scene, SyntheticSale sale) throws Exception {
        String title = fault.title();
        long bite;
        long quietMs;
        try (Strike strike = fault.prepare(scene)) {
            title = (title + " " + strike.choice()).strip();
            sale.create(
                    STOCK,
                    Map.of(
                            "payWithinSeconds",
                            closes ? PAY_WITHIN_S : LONG_S,
                            "perUserLimit",
                            LIMIT,
                            "synthetic",
                            !fault.sellsForReal()));
            scene.crowd().start();
            awaitMoment(scene.crowd());
            bite = strike.strike();
            long healedMs = System.currentTimeMillis();
            broken.addAll(awaitQuiet(scene, healedMs + QUIET_LIMIT_MS));
            quietMs = System.currentTimeMillis() - healedMs;
        }
        audit(scene.productId());
        return new Outcome(
                title,
                seed,
                scene.productId(),
                scene.shard(),
                closes,
                takesTwo,
                bite,
                quietMs,
                List.copyOf(broken));
    }

    /** While units are taken; or, where orders are closed, while they come back. */
    private void awaitMoment(Crowd crowd) throws InterruptedException {
        if (closes && random.nextBoolean() && !fault.needsRush()) {
            int cancelled = random.nextInt(STOCK / 4);
            Scene.await(() -> crowd.cancelled() > cancelled);
        } else {
            int accepted = STOCK / 10 + random.nextInt(STOCK / 2);
            Scene.await(() -> crowd.accepted() >= accepted);
        }
    }

    /** What does not hold any more after three times that all did, or at the limit. */
    private List<String> awaitQuiet(Scene scene, long untilMs)
            throws IOException, SQLException, InterruptedException {
        int right = 0;
        while (true) {
            Seen seen = Seen.of(copy, scene.productId());
            broken.addAll(Verdict.always(seen, STOCK));
            List<String> wrong = Verdict.whenQuiet(seen, scene.crowd().told(), STOCK);
            right = wrong.isEmpty() ? right + 1 : 0;
            if (right == TIMES_RIGHT || System.currentTimeMillis() > untilMs) {
                return wrong;
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    private void audit(String productId) throws IOException, InterruptedException {
        Process audit = new CopyCommand(copy).launch("audit", productId);
        if (audit.waitFor() != 0) {
            broken.add("./seckill audit: not BALANCED");
        }
    }
}
