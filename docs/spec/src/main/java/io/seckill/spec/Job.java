package io.seckill.spec;

import io.seckill.spec.ReturnRow.Outcome;

/** The second half of something that reads in one store and writes in another, later or never. */
record Job(
        What what, int shard, int process, String id, GiveBack asked, Outcome outcome, int number) {

    enum What {
        /** A shard has answered a return; its row is not written. */
        ANSWER,
        /** The reconciler has seen a reservation without an order. */
        REWRITE,
        /** The reconciler has seen a reservation with a final order. */
        RESEND,
        /** The reconciler has seen a loss. */
        SUSPECT,
        /** Units of a retired shard that are in somebody's memory only. */
        MOVE
    }

    private static final GiveBack NONE = new GiveBack("", 0, 0, false);

    static Job of(What what, int shard, int process, String id) {
        return new Job(what, shard, process, id, NONE, Outcome.WAITING, 0);
    }

    static Job move(int shard, int units) {
        return new Job(What.MOVE, shard, 0, "", NONE, Outcome.WAITING, units);
    }

    static Job answer(GiveBack r, Outcome outcome, int epoch) {
        return new Job(What.ANSWER, r.shard(), 0, r.id(), r, outcome, epoch);
    }

    String key() {
        return what + " " + shard + "." + process + " "
                + (what == What.ANSWER ? asked.key() + " " + outcome : id)
                + (number > 0 ? " " + number : "");
    }
}
