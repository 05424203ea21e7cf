package io.seckill.load.bench;

import io.seckill.contracts.Bounds;
import io.seckill.contracts.Limits;
import io.seckill.load.Progress;
import io.seckill.load.copy.LimitKeeper;
import io.seckill.load.copy.SyntheticSale;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Whether an attempt costs more the more there is: each axis one point a power of ten, the first is
 * the floor of the others, and flat is what is hoped for.
 *
 * <p>Stock and users grow in the bench's copy; shards, and sales, of which a platform takes 1,000,
 * in copies that are made for it.
 */
final class Growth implements Scenario {

    private static final int ATTEMPTS = 2_000; // each point sells so many, or its whole stock
    private static final int REFUSALS = 20_000;
    private static final List<Integer> STOCK = List.of(1_000, 10_000, 100_000, 1_000_000);
    private static final List<Integer> USERS = STOCK;
    private static final List<Integer> SALES = List.of(1, 10, 100, 1_000);
    private static final List<Integer> SHARDS = List.of(1, 4, 16);
    private static final int SHARDS_OF_SALES = 4;

    @Override
    public String name() {
        return "growth";
    }

    @Override
    public String about() {
        return "CPU time of all parts for one attempt, an accepted one until its order is committed,"
                + " as stock, users who have tried before, sales that sell at once (a copy has 1,000 at"
                + " most) and shards grow;"
                + " the first point of each is the floor of the others, 1.00 is flat.";
    }

    @Override
    public List<Row> run(Rig rig) throws Exception {
        Selling.warmUp(rig);
        List<Row> rows = new ArrayList<>(stock(rig));
        rows.addAll(users(rig));
        rows.addAll(copies(rig));
        return rows;
    }

    private static List<Row> stock(Rig rig) throws Exception {
        List<Row> rows = new ArrayList<>();
        for (int stock : STOCK) {
            String name = "accepted, stock %,d".formatted(stock);
            Progress.say(name);
            String product = Selling.open(rig, stock);
            int count = Math.min(stock, rig.scaled(ATTEMPTS));
            rows.add(AttemptCost.accepted(rig, List.of(product), count).row(name));
        }
        return againstFirst(rows);
    }

    /** So many have been refused before; those that are measured come for the first time. */
    private static List<Row> users(Rig rig) throws Exception {
        String closed = Selling.open(rig, 1_000);
        rig.limits().putOfProduct(closed, Limits.PRODUCT_QPS, 0);
        LimitKeeper.awaitFelt();
        List<Row> refused = new ArrayList<>();
        List<Row> accepted = new ArrayList<>();
        int known = 0;
        for (int users : USERS.stream().map(rig::scaled).toList()) {
            String name = "users %,d".formatted(users);
            Progress.say(name);
            AttemptCost.refused(rig, closed, users - known);
            known = users;
            int count = rig.scaled(REFUSALS);
            refused.add(AttemptCost.refused(rig, closed, count).row("refused, " + name));
            int units = rig.scaled(ATTEMPTS);
            List<String> product = List.of(Selling.open(rig, units));
            accepted.add(AttemptCost.accepted(rig, product, units).row("accepted, " + name));
        }
        List<Row> rows = new ArrayList<>(againstFirst(refused));
        rows.addAll(againstFirst(accepted));
        return rows;
    }

    /** On a smaller scale one copy only, for a start cannot be scaled. */
    private static List<Row> copies(Rig beside) throws Exception {
        List<Row> byShards = new ArrayList<>();
        List<Row> bySales = new ArrayList<>();
        for (int shards : beside.isQuick() ? List.of(SHARDS_OF_SALES) : SHARDS) {
            Progress.say("a copy with shards " + shards);
            try (PrivateCopy copy = new PrivateCopy(beside, shards)) {
                Rig rig = copy.rig();
                Selling.warmUp(rig);
                int count = rig.scaled(ATTEMPTS);
                List<String> product = List.of(Selling.open(rig, count));
                byShards.add(AttemptCost.accepted(rig, product, count)
                        .row("accepted, shards " + shards));
                if (shards == SHARDS_OF_SALES) {
                    bySales.addAll(sales(rig));
                }
            }
        }
        List<Row> rows = new ArrayList<>(againstFirst(byShards));
        rows.addAll(againstFirst(bySales));
        return rows;
    }

    /** At the last point as many as the platform takes beside those that the copy has already. */
    private static List<Row> sales(Rig rig) throws Exception {
        int room = Bounds.SALES - rig.sales().books().products().size();
        int count = rig.scaled(ATTEMPTS);
        List<Row> rows = new ArrayList<>();
        List<String> products = new ArrayList<>();
        for (int wanted : SALES.stream().map(rig::scaled).distinct().toList()) {
            while (products.size() < Math.min(wanted, room)) {
                products.add(SyntheticSale.newProduct());
                String newest = products.get(products.size() - 1);
                long stock = (long) count * SALES.size(); // the first sells at each point
                rig.sales().createUnseen(newest, stock, Map.of());
                rig.limits().putOfProduct(newest, Limits.PRODUCT_QPS, Rig.UNLIMITED);
            }
            for (String product : products) {
                rig.sales().awaitEdge(product, facts -> true);
            }
            LimitKeeper.awaitFelt();
            String name = "accepted, sales %,d".formatted(products.size());
            Progress.say(name);
            rows.add(AttemptCost.accepted(rig, products, count).row(name));
        }
        return rows;
    }

    static List<Row> againstFirst(List<Row> rows) {
        Row first = rows.get(0);
        return rows.stream()
                .map(row -> row.against(first.what(), first.figure()))
                .toList();
    }
}
