package io.seckill.spec;

import io.seckill.spec.Job.What;

/** Looks for what no message will mend; only where shard and ledger agree that it is open. */
final class Reconciling {

    private Reconciling() {}

    static void scans(Choices to) {
        World w = to.world;
        for (int shard = 0; shard < to.shards(); shard++) {
            for (int p = 0; p < w.shards.get(shard).size(); p++) {
                for (Kept kept : w.shards.get(shard).get(p).stock().reserved()) {
                    String id = kept.taken().id();
                    boolean late = w.bounds.repeats() || w.faults > 0;
                    if (late && (!w.orders.containsKey(id) || w.isFinal(id))) {
                        to.add(shard, p, id, 0);
                    }
                }
            }
        }
    }

    static void scan(World w, Step s) {
        if (!agrees(w, s.shard(), w.redis(s)) || !w.redis(s).stock().isReserved(s.id())) {
            return;
        }
        boolean ordered = w.orders.containsKey(s.id());
        if (w.has(ordered ? Rule.RESEND : Rule.REWRITE)) {
            What what = ordered ? What.RESEND : What.REWRITE;
            Jobs.begin(w, Job.of(what, s.shard(), s.process(), s.id()));
        }
    }

    /** Old enough that its message must have come; a second one is harmless. */
    static void rewrite(World w, Job job) {
        Redis redis = w.shards
                .get(job.shard())
                .get(Math.min(job.process(), w.shards.get(job.shard()).size() - 1));
        Stock now = redis.stock();
        if (redis.isOpen()
                && now.isReserved(job.id())
                && now.outbox.stream().noneMatch(t -> t.id().equals(job.id()))) {
            redis.edit().outbox.add(World.of(now.reservations, job.id()).taken());
            w.count("outbox entries written again");
        }
    }

    /** Also when its row says done. */
    static void resend(World w, Job job) {
        ReturnRow row = w.returns.get(job.id());
        if (w.isFinal(job.id()) && (row == null || !row.isWaiting())) {
            Returning.await(w, World.of(w.orders, job.id()));
            w.count("returns sent again");
        }
    }

    static void looks(Choices to) {
        for (int shard = 0; shard < to.shards(); shard++) {
            to.add(shard);
        }
    }

    static void look(World w, Step s) {
        Redis redis = w.redis(s.shard());
        if (!agrees(w, s.shard(), redis)) {
            return;
        }
        Stock stock = redis.stock();
        boolean lost = w.has(Rule.LIVE_IS_KEPT)
                && w.live(s.shard()).stream()
                        .anyMatch(o -> !stock.isReserved(o.taken().id()));
        boolean differs = w.has(Rule.INIT_IS_ALLOCATED)
                && stock.init != w.ledger(s.shard()).allocated
                && w.changes.stream().noneMatch(c -> c.shard() == s.shard() && !c.done());
        if (lost || differs) {
            Jobs.begin(w, Job.of(What.SUSPECT, s.shard(), 0, ""));
        }
    }

    private static boolean agrees(World w, int shard, Redis redis) {
        Ledger ledger = w.ledger(shard);
        return redis.isOpen()
                && (!w.has(Rule.EPOCHS_DIFFER) || redis.stock().epoch == ledger.epoch)
                && ledger.is(Ledger.State.OPEN);
    }

    static void owed(Choices to) {
        if (to.world.has(Rule.OWED) && (to.world.bounds.repeats() || to.world.faults > 0)) {
            to.world.orders.forEach((id, order) -> {
                if (order.owesReturn() && !to.world.returns.containsKey(id)) {
                    to.add(0, 0, id, 0);
                }
            });
        }
    }

    static void owe(World w, Step s) {
        Returning.await(w, World.of(w.orders, s.id()));
    }
}
