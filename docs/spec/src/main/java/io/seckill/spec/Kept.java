package io.seckill.spec;

/** A reservation as its shard has it. */
record Kept(State state, Taken taken) {

    /** The letters of the scripts. */
    enum State {
        R,
        X,
        B
    }

    boolean isReserved() {
        return state == State.R;
    }
}
