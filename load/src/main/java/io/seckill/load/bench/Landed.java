package io.seckill.load.bench;

import io.seckill.contracts.Limits;
import io.seckill.load.Progress;
import io.seckill.load.client.Buyers;
import io.seckill.load.copy.Database;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.PartUsage;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * How fast reservations that wait become orders on disk.
 *
 * <p>They are made while the order limit is low, so that nothing sells while they land: the limit
 * is raised, and the ledger, which each order's own transaction changes, is watched.
 */
final class Landed implements Scenario {

    private static final int ORDERS = 20_000;
    private static final int SINGLES = 2_000; // a commit each
    private static final int SERVICE_BATCH = 256; // the most that order-service takes at once
    private static final int LARGE_BATCH = 1_000;
    private static final int LOW = 1; // a second, while they are made
    private static final int A_DAY_MS = 86_400_000; // else edges would hold buyers back

    @Override
    public String name() {
        return "landed";
    }

    @Override
    public String about() {
        return "Orders per second, committed, while reservations wait and nothing sells;"
                + " watched in shard_ledger, which changes in the orders' own transaction.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        Selling.warmUp(rig);
        int count = rig.scaled(ORDERS);
        String product = Selling.open(rig, count);
        rig.limits().putGlobal(Limits.ORDER_BACKLOG_MAX_AGE_MS, A_DAY_MS);
        rig.limits().putGlobal(Limits.ORDER_RATE_PER_SECOND, LOW);
        LimitKeeper.awaitFelt();
        Progress.say("reservations that wait");
        try (Database database = new Database(rig.copy())) {
            long before = database.landed();
            Buyers buyers = Selling.buyers(rig, product, count, 0);
            rig.measure(buyers);
            awaitSent(rig, product);
            Map<String, Long> cpuBefore = rig.cpuUs();
            Progress.say("orders");
            rig.limits().putGlobal(Limits.ORDER_RATE_PER_SECOND, Rig.UNLIMITED);
            Landing landing = Landing.awaitAll(database, before + buyers.accepted());
            Map<String, Long> used = PartUsage.since(cpuBefore, rig.cpuUs());
            if (landing.count() < count / 2) {
                throw new IllegalStateException("only " + landing.count() + " of " + count
                        + " orders waited when the limit was raised");
            }
            Row landed = new Row("orders", landing.perSecond(), "/s")
                    .costing(landing.count(), used)
                    .remarked("the middle four fifths of " + landing.count() + " that waited")
                    .judged(rig.verdict(product, count));
            Progress.say("floors");
            return List.of(withFloors(landed, rig, database, product));
        }
    }

    /** Until no reservation waits in a shard any more: all are in the topic. */
    static void awaitSent(Rig rig, String product) throws Exception {
        int tries = 0;
        while (!rig.sales().books(product).sentAll()) {
            if (++tries > 600) {
                throw new IllegalStateException("the outboxes do not get empty");
            }
            Thread.sleep(100);
        }
    }

    private static Row withFloors(Row landed, Rig rig, Database database, String product)
            throws SQLException {
        try (InsertFloor floor = new InsertFloor(database, product, rig.scaled(ORDERS))) {
            floor.perSecond(SERVICE_BATCH, floor.size()); // warms the driver and the table's space
            return landed.against(
                            "INSERT in batches of " + SERVICE_BATCH,
                            floor.perSecond(SERVICE_BATCH, floor.size()))
                    .against(
                            "INSERT in batches of " + LARGE_BATCH,
                            floor.perSecond(LARGE_BATCH, floor.size()))
                    .against("a transaction per order", floor.perSecond(1, rig.scaled(SINGLES)));
        }
    }
}
