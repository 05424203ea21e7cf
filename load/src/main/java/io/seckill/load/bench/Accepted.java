package io.seckill.load.bench;

import io.seckill.load.Progress;
import io.seckill.load.bench.Rig.Measured;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Repeated;
import io.seckill.load.client.Requests;
import io.seckill.load.copy.Database;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Attempts accepted, each deducted and in its shard's outbox on the disk, while units are left and
 * no limit is reached.
 */
final class Accepted implements Scenario {

    private static final int BUYERS = 20_000; // a measurement
    private static final int SCRIPT_CALLS = 200_000;
    private static final int SPARE = 2; // units for each: no shard is empty before the end

    /**
     * A lease may be too small for a leap in demand, and then some are told to try again; an
     * attempt that was BUSY may have got its unit.
     */
    private static final Set<String> AGAIN = Set.of("TOO_MANY_REQUESTS", "BUSY", "ALREADY_BOUGHT");

    private static final String THROUGH_EDGE = "accepted through the edge";
    private static final String EMPTY = "empty endpoint behind nginx";
    private static final String SOLD_OUT = "sold out, behind nginx";
    private static final String SOURCE_WAY = "source design's way behind nginx";

    /** What is measured beside the turns, one entry a turn. */
    private record Beside(List<Double> scriptPerSecond, List<String> wrong) {
        Beside() {
            this(new ArrayList<>(), new ArrayList<>());
        }
    }

    @Override
    public String name() {
        return "accepted";
    }

    @Override
    public String about() {
        return "Attempts accepted while units are left, limits raised; orders land meanwhile, and the"
                + " CPU time counts until the last of them. Floors: flash-sale-service refusing a"
                + " malformed attempt at its first look, behind an nginx that only passes on, which it"
                + " also does with attempts on a sale that is sold out, each another user; the"
                + " reserve script pipelined by redis-benchmark on one shard; one blocking call of"
                + " that script and one synchronous send to RocketMQ a request, in a small service"
                + " behind the same nginx.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        int buyers = rig.scaled(BUYERS);
        String service = "127.0.0.1:" + rig.copy().flashSalePort();
        FloorNginx empty = floor(rig, service);
        FloorNginx sourceWay = floor(rig, sourceWay(rig));
        Beside beside = new Beside();
        String soldOut = Selling.soldOut(rig);
        Turns turns = new Turns(rig);
        turns.add(EMPTY, "BAD_REQUEST", Set.of(), () -> requests(rig, empty, buyers));
        turns.add(
                SOLD_OUT,
                "SOLD_OUT",
                Set.of(),
                () -> rig.measure(empty.passPort(), Selling.tooLate(rig, soldOut, buyers)));
        turns.add(SOURCE_WAY, "ACCEPTED", Set.of(), () -> requests(rig, sourceWay, buyers));
        turns.add(THROUGH_EDGE, "ACCEPTED", AGAIN, () -> accepted(rig, buyers, beside));
        Selling.warmUp(rig);
        requests(rig, empty, buyers);
        rig.measure(empty.passPort(), Selling.tooLate(rig, soldOut, buyers));
        requests(rig, sourceWay, buyers);
        turns.take();
        return rows(turns, beside);
    }

    private static FloorNginx floor(Rig rig, String service) throws Exception {
        return rig.start(new FloorNginx(service), "floor nginx", FloorNginx::pid);
    }

    private static String sourceWay(Rig rig) throws Exception {
        Progress.say("starting the source design's way");
        ScratchProduct product = rig.start(new ScratchProduct(rig.copy(), 100L * BUYERS));
        SourceWayProcess process =
                rig.start(new SourceWayProcess(product.id()), "source way", SourceWayProcess::pid);
        return "127.0.0.1:" + process.port();
    }

    /** What is sent does not matter: the floor's nginx passes on no header of it. */
    private static Measured requests(Rig rig, FloorNginx floor, int count) {
        byte[] token = rig.tokens().buyer("anybody").getBytes(StandardCharsets.US_ASCII);
        byte[] attempt = Requests.attempts("1").of(token);
        return rig.measure(floor.malformedPort(), new Repeated(count, number -> attempt));
    }

    private static Measured accepted(Rig rig, int count, Beside beside) throws Exception {
        Progress.say("the reserve script alone");
        beside.scriptPerSecond().add(ReserveFloor.perSecond(rig.copy(), rig.scaled(SCRIPT_CALLS)));
        String product = Selling.open(rig, (long) SPARE * count);
        Buyers buyers = Selling.buyers(rig, product, count, 0);
        try (Database database = new Database(rig.copy())) {
            long landed = database.landed();
            Progress.say("selling " + count + " units");
            Map<String, Long> before = rig.cpuUs();
            Measured selling = rig.measure(buyers);
            Landing.awaitAll(database, landed + buyers.accepted());
            Map<String, Long> used = rig.cpuSince(before, selling.tally());
            String found = rig.verdict(product, count);
            if (!found.isEmpty()) {
                beside.wrong().add(found);
            }
            return new Measured(selling.tally(), used);
        }
    }

    private static List<Row> rows(Turns turns, Beside beside) {
        double script = Turns.median(beside.scriptPerSecond());
        Row accepted = turns.row(THROUGH_EDGE)
                .against("empty endpoint", turns.perSecond(EMPTY))
                .against("script alone", script)
                .against("source design's way", turns.perSecond(SOURCE_WAY))
                .judged(String.join("; ", beside.wrong()));
        Row scriptRow = new Row("reserve script alone, redis-benchmark", script, "/s")
                .remarked("one shard, 8 connections, 32 calls at a time");
        Row soldOut = turns.row(SOLD_OUT).against("empty endpoint", turns.perSecond(EMPTY));
        return List.of(accepted, turns.row(EMPTY), soldOut, scriptRow, turns.row(SOURCE_WAY));
    }
}
