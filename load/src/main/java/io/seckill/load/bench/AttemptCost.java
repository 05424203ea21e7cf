package io.seckill.load.bench;

import io.seckill.load.client.Buyers;
import io.seckill.load.client.InTurn;
import io.seckill.load.client.Repeated;
import io.seckill.load.client.Requests;
import io.seckill.load.client.Tally;
import io.seckill.load.copy.Database;
import io.seckill.load.copy.SyntheticSale;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * What attempts of users whom nobody has seen before cost.
 *
 * @param perSecond how fast they were answered meanwhile
 * @param wrong what did not come out right; else empty
 */
record AttemptCost(int count, Map<String, Long> cpuUs, double perSecond, String wrong) {

    /** Sells about so many units of these sales in turn, and waits for their orders. */
    static AttemptCost accepted(Rig rig, List<String> products, int wanted) throws Exception {
        int each = Math.max(1, wanted / products.size());
        int count = each * products.size();
        List<Buyers> crowds = products.stream()
                .map(product -> Selling.buyers(rig, product, each, 0))
                .toList();
        try (Database database = new Database(rig.copy())) {
            long landed = database.landed();
            Map<String, Long> before = rig.cpuUs();
            Tally tally = rig.measure(new InTurn(crowds)).tally();
            long sold = crowds.stream().mapToLong(Buyers::accepted).sum();
            Landing.awaitAll(database, landed + sold);
            Map<String, Long> used = rig.cpuSince(before, tally);
            String wrong = Verdict.of(rig.sales().quietBooks(), landed + sold);
            String refused = sold == count ? "" : "not all were accepted: " + tally.words();
            return new AttemptCost(
                    count, used, count / tally.seconds(), Row.joined(wrong, refused));
        }
    }

    /** So many attempts at a sale that lets nobody through. */
    static AttemptCost refused(Rig rig, String closed, int count) {
        String crowd = SyntheticSale.newProduct();
        Requests attempts = Requests.attempts(closed);
        Rig.Measured measured = rig.measure(new Repeated(
                count,
                number -> attempts.of(rig.tokens()
                        .buyer(crowd + "-" + number)
                        .getBytes(StandardCharsets.US_ASCII))));
        Tally tally = measured.tally();
        String wrong =
                tally.count("PAUSED") == count ? "" : "not all were refused: " + tally.words();
        return new AttemptCost(count, measured.cpuUs(), tally.perSecond(), wrong);
    }

    Row row(String what) {
        Row row = new Row(what, 0, "µs").costing(count, cpuUs);
        return new Row(what, row.cpuPerAttemptUs(), "µs")
                .costing(count, cpuUs)
                .remarked("%.0f/s".formatted(perSecond))
                .judged(wrong);
    }
}
