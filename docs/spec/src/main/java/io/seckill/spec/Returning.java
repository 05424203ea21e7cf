package io.seckill.spec;

import io.seckill.spec.ReturnRow.Outcome;

/** Returns: the shard's script first, its row second; a crash in between repeats the script. */
final class Returning {

    private Returning() {}

    static void messages(Choices to) {
        to.world.returnTopic.forEach((key, r) -> to.each(r.shard(), key));
    }

    static void giveBack(World w, Step s) {
        GiveBack r = World.of(w.returnTopic, s.id());
        if (w.returns.containsKey(r.id())) {
            w.returnTopic.remove(s.id());
        } else {
            ask(w, r, s.process());
        }
    }

    /** What waits, and scripts of earlier calls that run late. */
    static void rows(Choices to) {
        to.world.returns.forEach((id, row) -> {
            if (row.isWaiting() || to.world.bounds.repeats()) {
                to.each(row.message().shard(), id);
            }
        });
    }

    static void askAgain(World w, Step s) {
        ask(w, World.of(w.returns, s.id()).message(), s.process());
    }

    private static void ask(World w, GiveBack r, int process) {
        Redis redis = w.shards.get(r.shard()).get(process);
        boolean retired = w.has(Rule.RETIRED_ENDS) && w.ledger(r.shard()).is(Ledger.State.RETIRED);
        Jobs.begin(
                w,
                Job.answer(r, retired ? Outcome.RETIRED : redis.giveBack(r), redis.stock().epoch));
    }

    /** The first final word stays. */
    static void answered(World w, Job job) {
        GiveBack r = job.asked();
        w.returnTopic.remove(r.key());
        ReturnRow row = w.returns.get(r.id());
        if (row != null && !row.isWaiting()) {
            return;
        }
        boolean lost = job.outcome() == Outcome.LOST;
        boolean waits = lost || isOver(w, job);
        w.returns.put(
                r.id(), new ReturnRow(r, waits ? Outcome.WAITING : job.outcome(), job.number()));
        w.count("returns " + job.outcome());
        if (lost) {
            w.suspect(r.shard());
        }
    }

    private static boolean isOver(World w, Job job) {
        return w.has(Rule.ANSWER_OF_NOW)
                && job.outcome() != Outcome.RETIRED
                && job.number() < w.ledger(job.shard()).epoch;
    }

    /** A row that is asked for (again). */
    static void await(World w, Order order) {
        w.returns.put(order.taken().id(), new ReturnRow(order.giveBack(), Outcome.WAITING, 0));
    }
}
