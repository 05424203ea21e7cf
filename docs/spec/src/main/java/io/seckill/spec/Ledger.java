package io.seckill.spec;

import java.util.ArrayList;
import java.util.List;

/** A row of shard_ledger with its rows of shard_opening. */
final class Ledger {

    enum State {
        OPEN,
        RECOVERING,
        RETIRED
    }

    /** keptSeq −1: a rebuild, which kept only what had a live order. */
    record Opening(int epoch, int keptSeq) {}

    final List<Opening> openings;
    int epoch = 1;
    int allocated;
    int sold;
    int lastSeq;
    State state = State.OPEN;

    Ledger(int allocated) {
        this.allocated = allocated;
        openings = new ArrayList<>();
    }

    Ledger(Ledger from) {
        openings = new ArrayList<>(from.openings);
        epoch = from.epoch;
        allocated = from.allocated;
        sold = from.sold;
        lastSeq = from.lastSeq;
        state = from.state;
    }

    void begin(int keptSeq) {
        epoch++;
        openings.add(new Opening(epoch, keptSeq));
    }

    /** By the openings that were there when the epoch was {@code known}. */
    boolean kept(Taken taken, int known) {
        return openings.stream()
                .filter(o -> o.epoch > taken.epoch() && o.epoch <= known)
                .allMatch(o -> o.keptSeq >= taken.seq());
    }

    boolean is(State wanted) {
        return state == wanted;
    }

    @Override
    public String toString() {
        return "e" + epoch + state + sold + "/" + allocated + " last " + lastSeq + openings;
    }
}
