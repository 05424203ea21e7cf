package io.seckill.load.bench;

import io.seckill.contracts.Limits;
import io.seckill.load.Progress;
import io.seckill.load.bench.Rig.Measured;
import io.seckill.load.client.Repeated;
import io.seckill.load.client.Requests;
import io.seckill.load.client.Traffic;
import io.seckill.load.copy.LimitKeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the edge refuses: the great majority of all attempts. Each kind of refusal with tokens the
 * edge has seen (1,000 users in turn) and with new ones (each request another user), against the
 * same nginx refusing by its built-in limit and refusing without a thought.
 */
final class Refusals implements Scenario {

    private static final int ATTEMPTS = 60_000; // a measurement
    private static final int USERS = 1_000; // known ones
    private static final int ENOUGH_UNITS = 100_000; // for what a limit lets through meanwhile
    private static final int WARM_ROUNDS = 10; // of the known users, unmeasured
    private static final String ACCEPTED = "ACCEPTED";
    private static final String ALREADY_BOUGHT = "ALREADY_BOUGHT";
    private static final String TOO_MANY = "TOO_MANY_REQUESTS";
    private static final String BUSY = "BUSY";
    private static final Set<String> NONE = Set.of();
    private static final Set<String> SOME_PASS = Set.of(ACCEPTED, ALREADY_BOUGHT, BUSY);
    private static final String KNOWN = ", known token";
    private static final String NEW = ", new token";
    private static final String RETURN = "nginx return 429";
    private static final String LIMIT_REQ = "nginx limit_req";

    @Override
    public String name() {
        return "refusals";
    }

    @Override
    public String about() {
        return "Attempts that the edge refuses, as many as it can: with tokens it has seen ("
                + USERS
                + " users in turn) and with new ones (each request another user), against an nginx of"
                + " its own that refuses the same bytes. `rate` and `quota` let a few through, as"
                + " they must.";
    }

    /** A sale in the state that is measured, the refusal, and what may come beside it. */
    private static final class Case {
        final String what;
        final String productId;
        final String word;
        final Set<String> also;
        int accepted;
        int unknown; // answers BUSY or none: perhaps accepted

        Case(String what, String productId, int accepted, String word, Set<String> also) {
            this.what = what;
            this.productId = productId;
            this.accepted = accepted;
            this.word = word;
            this.also = also;
        }
    }

    /** Attempts in turn; who got a unit after all does not try again, another one does. */
    private static final class InTurn implements Traffic {
        private final int size;
        private final byte[][] requests;
        private final Case sale;

        InTurn(int size, byte[][] requests, Case sale) {
            this.size = size;
            this.requests = requests;
            this.sale = sale;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public byte[] request(int number) {
            return requests[number % requests.length];
        }

        @Override
        public long againAfterMs(Answer answer) {
            if (answer.word().equals(ACCEPTED)) {
                sale.accepted++;
            } else if (answer.word().equals(BUSY)) {
                sale.unknown++;
            }
            if (answer.word().equals(ACCEPTED) || answer.word().equals(ALREADY_BOUGHT)) {
                int user = answer.number() % requests.length;
                requests[user] = requests[(user + requests.length / 2) % requests.length];
            }
            return NEVER;
        }

        @Override
        public long againAfterLossMs(int number) {
            sale.unknown++;
            return NEVER;
        }
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        FloorNginx floor = rig.start(new FloorNginx("127.0.0.1:1"), "floor", FloorNginx::pid);
        List<Case> cases = cases(rig);
        Turns turns = new Turns(rig);
        Case any = cases.get(0);
        Case open = cases.get(cases.size() - 1); // what everybody may know refuses nobody there
        turns.add(RETURN, TOO_MANY, NONE, () -> known(rig, floor.returnPort(), any));
        turns.add(LIMIT_REQ, TOO_MANY, Set.of("404"), () -> known(rig, floor.limitReqPort(), any));
        for (Case each : cases) {
            int edge = rig.copy().edgePort();
            turns.add(each.what + KNOWN, each.word, each.also, () -> known(rig, edge, each));
            turns.add(
                    each.what + NEW,
                    each.word,
                    each.also,
                    () -> rig.measure(edge, fresh(rig, each)));
        }
        turns.add("no token", "UNAUTHENTICATED", NONE, () -> rig.measure(anonymous(rig, open)));
        turns.take();
        return rows(rig, turns, cases);
    }

    /** Seen before, by each worker: the first pass is not measured. */
    private static Measured known(Rig rig, int port, Case sale) {
        byte[][] requests = requests(rig, sale, "known", USERS);
        return rig.measureWarm(
                port,
                new InTurn(WARM_ROUNDS * USERS, requests, sale),
                new InTurn(rig.scaled(ATTEMPTS), requests, sale));
    }

    private static Traffic fresh(Rig rig, Case sale) {
        int count = rig.scaled(ATTEMPTS);
        return new InTurn(count, requests(rig, sale, "new" + rig.nextNumber() + "_", count), sale);
    }

    /** All of them are made before the clock starts. */
    private static byte[][] requests(Rig rig, Case sale, String prefix, int users) {
        Requests attempts = Requests.attempts(sale.productId);
        byte[][] requests = new byte[users][];
        for (int i = 0; i < users; i++) {
            byte[] token = rig.tokens().buyer(prefix + i).getBytes(StandardCharsets.US_ASCII);
            requests[i] = attempts.of(token);
        }
        return requests;
    }

    private static Traffic anonymous(Rig rig, Case sale) {
        byte[] attempt = Requests.anonymousAttempt(sale.productId);
        return new Repeated(rig.scaled(ATTEMPTS), number -> attempt);
    }

    private static List<Case> cases(Rig rig) throws Exception {
        Progress.say("making a sale for each kind of refusal");
        List<Case> cases = new ArrayList<>();
        cases.add(new Case("sold out", Selling.soldOut(rig), Selling.FEW_UNITS, "SOLD_OUT", NONE));
        cases.add(new Case("ended", ended(rig), 0, "ENDED", NONE));
        cases.add(new Case("not started", notStarted(rig), 0, "NOT_STARTED", NONE));
        cases.add(new Case("closed by qps 0", withQps(rig, 0), 0, "PAUSED", NONE));
        cases.add(new Case("rate", withQps(rig, 1), 0, TOO_MANY, SOME_PASS));
        cases.add(new Case("quota", usedUp(rig), 0, TOO_MANY, SOME_PASS));
        LimitKeeper.awaitFelt();
        return cases;
    }

    private static String notStarted(Rig rig) throws Exception {
        Instant start = Instant.now().plus(Duration.ofDays(1));
        Instant end = start.plus(Duration.ofDays(1));
        return rig.newSale(
                Selling.FEW_UNITS, Map.of("startAt", start.toString(), "endAt", end.toString()));
    }

    private static String ended(Rig rig) throws Exception {
        Instant end = Instant.now().plusSeconds(2);
        String productId = rig.newSale(Selling.FEW_UNITS, Map.of("endAt", end.toString()));
        Thread.sleep(Math.max(0, end.toEpochMilli() - System.currentTimeMillis()));
        return productId;
    }

    private static String withQps(Rig rig, long qps) throws Exception {
        String productId = rig.newSale(ENOUGH_UNITS);
        rig.limits().putOfProduct(productId, Limits.PRODUCT_QPS, qps);
        return productId;
    }

    /** Units are left, and all attempts there may be are issued: to another node, as it were. */
    private static String usedUp(Rig rig) throws Exception {
        String productId = rig.newSale(ENOUGH_UNITS);
        rig.unlimit(productId);
        rig.start(new GreedyNode(rig.copy(), productId));
        return productId;
    }

    private static List<Row> rows(Rig rig, Turns turns, List<Case> cases) throws Exception {
        List<Row> rows = new ArrayList<>();
        rows.add(turns.row(RETURN));
        rows.add(turns.row(LIMIT_REQ));
        for (Case each : cases) {
            String wrong = Verdict.of(
                    rig.sales().quietBooks(each.productId),
                    each.accepted,
                    each.accepted + each.unknown);
            rows.add(against(turns, each.what + KNOWN).judged(wrong));
            rows.add(against(turns, each.what + NEW).judged(wrong));
        }
        rows.add(against(turns, "no token"));
        return rows;
    }

    private static Row against(Turns turns, String what) {
        return turns.row(what)
                .against("limit_req", turns.perSecond(LIMIT_REQ))
                .against("return 429", turns.perSecond(RETURN));
    }
}
