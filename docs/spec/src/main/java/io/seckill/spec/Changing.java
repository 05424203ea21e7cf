package io.seckill.spec;

import io.seckill.spec.Bounds.Fault;
import io.seckill.spec.Ledger.State;

/** Stock that comes while the sale is open, and a shard that is given up. */
final class Changing {

    private Changing() {}

    static void topUps(Choices to) {
        for (int shard = 0; shard < to.shards(); shard++) {
            if (to.world.topUps < to.world.bounds.topUps()
                    && !to.world.ledger(shard).is(State.RETIRED)) {
                to.add(shard, 0, "", 1 + to.world.topUps);
            }
        }
    }

    static void topUp(World w, Step s) {
        w.topUps++;
        w.total += s.n();
        allocate(w, s.shard(), s.n());
    }

    /** One transaction: the ledger's row and the change's. */
    private static void allocate(World w, int shard, int units) {
        w.ledger(shard).allocated += units;
        w.changes.add(new Change(w.changes.size(), shard, units, w.ledger(shard).epoch, false));
        w.count("top-ups");
    }

    /** #1: the script ran, the row was not written. */
    static void waiting(Choices to) {
        for (Change c : to.world.changes) {
            for (int n = 0; !c.done() && n < (to.world.bounds.repeats() ? 2 : 1); n++) {
                to.add(c.shard(), 0, String.valueOf(c.number()), n);
            }
        }
    }

    static void apply(World w, Step s) {
        Change c = w.changes.get(Integer.parseInt(s.id()));
        boolean retired = w.ledger(c.shard()).is(State.RETIRED);
        if ((retired || w.redis(c.shard()).add(c)) && s.n() == 0) {
            w.changes.set(c.number(), c.asDone());
        }
    }

    static void retirable(Choices to) {
        boolean others =
                to.world.ledgers.stream().filter(l -> !l.is(State.RETIRED)).count() > 1;
        for (int shard = 0; shard < to.shards(); shard++) {
            if (others
                    && to.world.bounds.allows(Fault.RETIRE)
                    && !to.world.ledger(shard).is(State.RETIRED)) {
                to.add(shard);
            }
        }
    }

    static void retire(World w, Step s) {
        Ledger ledger = w.ledger(s.shard());
        ledger.begin(-1);
        ledger.state = State.RETIRED;
        w.count("retired");
        free(w, s.shard());
    }

    /** Its orders go on closing. */
    static void retired(Choices to) {
        for (int shard = 0; shard < to.shards(); shard++) {
            Ledger ledger = to.world.ledger(shard);
            if (ledger.is(State.RETIRED)
                    && ledger.allocated > ledger.sold
                    && to.world.has(Rule.RETIRE_AGAIN)) {
                to.add(shard);
            }
        }
    }

    static void retireAgain(World w, Step s) {
        free(w, s.shard());
    }

    private static void free(World w, int shard) {
        Ledger ledger = w.ledger(shard);
        int units = ledger.allocated - ledger.sold;
        ledger.allocated = ledger.sold;
        if (units > 0 && w.has(Rule.RETIRE_AT_ONCE)) {
            move(w, units);
        } else if (units > 0) {
            Jobs.begin(w, Job.move(shard, units));
        }
    }

    static void move(World w, int units) {
        int shard = 0;
        while (w.ledger(shard).is(State.RETIRED)) {
            shard++;
        }
        allocate(w, shard, units);
    }
}
