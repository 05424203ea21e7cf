package io.seckill.spec;

import io.seckill.spec.Ledger.State;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What must hold; each check answers what is broken, or "". */
final class Invariants {

    static final String HOLDS = "";

    private Invariants() {}

    /** At any instant. */
    static String always(World w) {
        if (w.takenUnverified) {
            return "A9: units were taken from a shard that nobody has verified";
        }
        if (w.soldTwice) {
            return "A3: a unit was sold twice, and only the ledger refused it";
        }
        for (int shard = 0; shard < w.shards.size(); shard++) {
            Ledger ledger = w.ledger(shard);
            int live = World.units(w.live(shard));
            if (ledger.sold != live || live > ledger.allocated) {
                return "A3: %d live units, sold %d of %d, shard %d"
                        .formatted(live, ledger.sold, ledger.allocated, shard);
            }
            for (Redis redis : w.shards.get(shard)) {
                String broken = redis.stock().epoch == 0 ? HOLDS : inOne(w, redis.stock());
                if (!broken.isEmpty()) {
                    return broken + ", shard " + shard;
                }
            }
        }
        List<String> users = w.live().stream().map(o -> o.taken().user()).toList();
        return users.size() == Set.copyOf(users).size() ? HOLDS : "A4: two live orders of a user";
    }

    private static String inOne(World w, Stock stock) {
        Map<String, String> holders = new TreeMap<>();
        stock.reserved().forEach(k -> holders.put(k.taken().user(), k.taken().id()));
        if (!stock.balances()) {
            return "A1: " + stock.available + " available";
        }
        if (!w.edited && stock.deducted - stock.returned - stock.burned != units(stock)) {
            return "A2: deducted, not returned or burned, is not what is reserved";
        }
        return w.edited || holders.equals(stock.buyers) ? HOLDS : "A5: buyers are not holders";
    }

    private static int units(Stock stock) {
        return stock.reserved().stream().mapToInt(k -> k.taken().units()).sum();
    }

    /** Once everything is healed. */
    static String quiet(World w) {
        if (!w.topic.isEmpty()
                || !w.held.isEmpty()
                || !w.returnTopic.isEmpty()
                || !w.jobs.isEmpty()) {
            return "a queue is not empty";
        }
        if (w.returns.values().stream().anyMatch(ReturnRow::isWaiting)) {
            return "Q4: a return waits for ever";
        }
        if (w.orders.values().stream()
                .anyMatch(
                        o -> o.owesReturn() && !w.returns.containsKey(o.taken().id()))) {
            return "Q4: a final order without a return";
        }
        if (w.changes.stream().anyMatch(c -> !c.done())) {
            return "a change of stock waits for ever";
        }
        if (w.ledgers.stream().mapToInt(l -> l.allocated).sum() != w.total) {
            return "A3: allocated is not the stock";
        }
        if (!w.orders.keySet().containsAll(w.unanswered)) {
            return "Q5: a reservation was never answered";
        }
        for (int shard = 0; shard < w.shards.size(); shard++) {
            String broken = w.ledger(shard).is(State.RETIRED)
                    ? HOLDS
                    : quiet(w, shard, w.ledger(shard), w.redis(shard).stock());
            if (!broken.isEmpty()) {
                return broken + ", shard " + shard;
            }
        }
        return always(w);
    }

    private static String quiet(World w, int shard, Ledger ledger, Stock stock) {
        if (Recovering.needed(w, shard, w.redis(shard)) || stock.epoch != ledger.epoch) {
            return "Q14: a shard does not open";
        }
        if (stock.available + ledger.sold != ledger.allocated) {
            return "Q1: %+d units".formatted(stock.available + ledger.sold - ledger.allocated);
        }
        Set<String> live =
                w.live(shard).stream().map(o -> o.taken().id()).collect(Collectors.toSet());
        Set<String> held =
                stock.reserved().stream().map(k -> k.taken().id()).collect(Collectors.toSet());
        if (!held.containsAll(live)) {
            return "Q2: a live order without its reservation";
        }
        return live.containsAll(held) ? HOLDS : "Q2: a reservation without a live order";
    }

    /** Once everybody has had their turn: no unit twice, none stranded. */
    static String soldOut(World w) {
        int live = World.units(w.live());
        return live == w.total ? quiet(w) : "Q12: %d of %d units sold".formatted(live, w.total);
    }
}
