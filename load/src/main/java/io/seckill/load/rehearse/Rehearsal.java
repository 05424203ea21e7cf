package io.seckill.load.rehearse;

import io.seckill.contracts.Limits;
import io.seckill.load.Progress;
import io.seckill.load.client.Generator;
import io.seckill.load.client.Repeated;
import io.seckill.load.client.Requests;
import io.seckill.load.client.Tally;
import io.seckill.load.copy.BuyerTokens;
import io.seckill.load.copy.Database;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.RunningCopy;
import io.seckill.load.copy.SaleAdmin;
import io.seckill.load.copy.SyntheticSale;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Map;

/**
 * Measures with a synthetic sale like the original: first what the edge refuses, with the sale's
 * rate at 0, then what is accepted and landed.
 *
 * <p>Limits of all products are raised only to what the edge could let through at most, which the
 * first measurement tells, and only where they are lower. Bounded in time and in units, so that it
 * costs real buyers seconds.
 */
final class Rehearsal {

    private static final int CONNECTIONS = 64;
    private static final int USERS = 20_000; // minted at once: some 100 ms
    private static final int UNITS = 12_000;
    private static final int NO_END = 100_000_000; // requests: the time ends it
    private static final long LANDING_LIMIT_MS = 30_000;
    private static final double KEPT_UP = 0.9; // landed of accepted when the last was accepted
    private static final double BUSY_CLIENT = 0.9; // of one CPU

    private final RunningCopy copy;
    private final SaleAdmin sales;
    private final BuyerTokens tokens;
    private final LimitKeeper limits;

    /** Tells each step, and each limit that it raises. */
    Rehearsal(RunningCopy copy, BuyerTokens tokens, SaleAdmin sales, LimitKeeper limits) {
        this.copy = copy;
        this.tokens = tokens;
        this.sales = sales;
        this.limits = limits;
    }

    /** With this sale, which is made like the original in what buyers feel. */
    Findings run(Original original, SyntheticSale sale, long measureMs) throws Exception {
        String productId = sale.productId();
        sale.create(
                UNITS, Map.of("perUserLimit", original.perUserLimit(), "path", original.path()));
        limits.putOfProduct(
                productId,
                Limits.QUOTA_PERCENT,
                limits.ofProduct(original.productId(), Limits.QUOTA_PERCENT));

        limits.putOfProduct(productId, Limits.PRODUCT_QPS, 0);
        LimitKeeper.awaitFelt();
        Progress.say("what the edge refuses, " + measureMs / 1_000 + " s");
        Crowd early = crowd(original, productId, "early-", UNITS / 4);
        Crowd crowd = crowd(original, productId, "rehearse-", UNITS - UNITS / 4);
        Tally refusals = refusals(productId, measureMs);

        long most = (long) Math.ceil(refusals.perSecond());
        raise(Limits.GLOBAL_QPS, most);
        raise(Limits.ORDER_RATE_PER_SECOND, most);
        limits.putOfProduct(productId, Limits.PRODUCT_QPS, most);
        LimitKeeper.awaitFelt();
        Progress.say(
                "what is accepted, " + measureMs / 1_000 + " s after a start that warms it up");
        new Generator(copy.edgePort(), CONNECTIONS, 0, measureMs / 2).run(early);
        try (Database database = new Database(copy)) {
            refuseUnlanded(awaitLanded(productId, early.accepted(), database), early.accepted());
            return sell(productId, crowd, database, refusals, measureMs);
        }
    }

    private Crowd crowd(Original original, String productId, String users, int size) {
        SignedPaths paths = new SignedPaths(copy, productId, System.currentTimeMillis());
        return new Crowd(
                productId,
                size,
                i -> tokens.buyer(users + i),
                i -> original.hasPath() ? paths.of(users + i) : "");
    }

    private Tally refusals(String productId, long measureMs) {
        Requests attempts = Requests.attempts(productId);
        byte[][] requests = new byte[USERS][];
        for (int i = 0; i < USERS; i++) {
            String token = tokens.buyer("refused-" + i);
            requests[i] = attempts.of(token.getBytes(StandardCharsets.US_ASCII));
        }
        return new Generator(copy.edgePort(), CONNECTIONS, 0, measureMs)
                .run(new Repeated(NO_END, i -> requests[i % USERS]));
    }

    /** Only as far as needed, and said. */
    private void raise(String key, long wanted) {
        long now = limits.global(key);
        if (now == 0) {
            throw new IllegalStateException(
                    key + " is 0: all sales are closed, and a rehearsal would open them");
        }
        if (now < wanted) {
            limits.putGlobal(key, wanted);
            Progress.say(key + " is raised from " + now + " to " + wanted + " meanwhile");
        }
    }

    private Findings sell(
            String productId, Crowd crowd, Database database, Tally refusals, long measureMs)
            throws Exception {
        long before = database.landed(productId);
        long startNs = System.nanoTime();
        Tally sold = new Generator(copy.edgePort(), CONNECTIONS, 0, measureMs).run(crowd);
        int accepted = crowd.accepted();
        if (accepted == 0) {
            throw new IllegalStateException("nobody was accepted: " + sold.words());
        }
        boolean keptUp = database.landed(productId) - before >= KEPT_UP * accepted;
        Progress.say("until " + accepted + " accepted attempts have landed");
        long landed = awaitLanded(productId, before + accepted, database) - before;
        double landingS = (System.nanoTime() - startNs) / 1e9;
        refuseUnlanded(landed, accepted);
        if (!sales.quietBooks(productId).balanced()) {
            throw new IllegalStateException(
                    "the books of the rehearsal do not balance; ./seckill audit " + productId);
        }
        return new Findings(
                refusals.perSecond(),
                accepted / sold.seconds(),
                sold.latencyMs("ACCEPTED", 0.99),
                sold.count("BUSY"),
                landed / landingS,
                keptUp,
                refusals.clientCpuUs() / 1e6 > BUSY_CLIENT * refusals.seconds());
    }

    /** What did not come to its end says nothing of what this installation can do. */
    private static void refuseUnlanded(long landed, long accepted) {
        if (landed < accepted) {
            throw new IllegalStateException("only " + landed + " of " + accepted
                    + " accepted attempts became orders within " + LANDING_LIMIT_MS / 1_000
                    + " s; ./seckill status says what is down");
        }
    }

    /** How many there are once all have landed, or after some time. */
    private static long awaitLanded(String productId, long all, Database database)
            throws SQLException, InterruptedException {
        long untilNs = System.nanoTime() + LANDING_LIMIT_MS * 1_000_000;
        long landed = database.landed(productId);
        while (landed < all && System.nanoTime() < untilNs) {
            Thread.sleep(100);
            landed = database.landed(productId);
        }
        return landed;
    }
}
