package io.seckill.load.bench;

import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.client.Generator;
import io.seckill.load.client.Repeated;
import io.seckill.load.client.Requests;
import io.seckill.load.client.Tally;
import io.seckill.load.client.Traffic;
import io.seckill.load.copy.SyntheticSale;

import java.io.IOException;
import java.util.Map;

/** What scenarios that sell do alike. */
final class Selling {

    static final int FEW_UNITS = 3;

    private static final int WARM_UNITS = 4_000;
    private static final long LIMIT_MS = 600_000;

    // At an open rate nobody waits for another's answer.
    private static final int OPEN_CONNECTIONS = 256;

    private Selling() {}

    /** Sells units once, for a service that has just started is many times slower. */
    static void warmUp(Rig rig) throws IOException, InterruptedException {
        Progress.say("warming up");
        int count = rig.scaled(WARM_UNITS);
        String product = open(rig, count);
        rig.measure(buyers(rig, product, count, 0));
        String wrong = rig.verdict(product, count);
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("warming up: " + wrong);
        }
    }

    /** A sale whose limits let everybody through. */
    static String open(Rig rig, long stock) throws IOException, InterruptedException {
        String product = rig.newSale(stock);
        rig.unlimit(product);
        return product;
    }

    /** A sale of few units that the edge knows to be sold out. */
    static String soldOut(Rig rig) throws IOException, InterruptedException {
        String product = rig.newSale(FEW_UNITS);
        rig.measure(new Buyers(product, FEW_UNITS, i -> rig.tokens().buyer("first" + i), 0));
        rig.sales().awaitEdge(product, facts -> facts.contains("\"soldOut\":true"));
        return product;
    }

    /** Attempts of so many users as an edge that lets everybody pass would send them. */
    static Traffic tooLate(Rig rig, String product, int count) {
        String crowd = "late" + rig.nextNumber() + "_";
        return new Repeated(count, number -> Requests.passedOn(product, crowd + number));
    }

    /** So many users whom nobody has seen before. */
    static Buyers buyers(Rig rig, String product, int count, long pollMs) {
        String crowd = SyntheticSale.newProduct();
        return new Buyers(
                product, count, number -> rig.tokens().buyer(crowd + "-" + number), pollMs);
    }

    /** At an open rate: a request leaves when it is due, whatever became of the others. */
    static Rig.Measured measureAt(Rig rig, double ratePerS, Traffic traffic) {
        Map<String, Long> before = rig.cpuUs();
        int port = rig.copy().edgePort();
        Tally tally = new Generator(port, OPEN_CONNECTIONS, ratePerS, LIMIT_MS).run(traffic);
        return new Rig.Measured(tally, rig.cpuSince(before, tally));
    }
}
