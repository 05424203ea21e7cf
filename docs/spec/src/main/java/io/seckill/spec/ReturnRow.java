package io.seckill.spec;

/** A row of stock_return: what the shard said, and its epoch when it did. */
record ReturnRow(GiveBack message, Outcome outcome, int answeredEpoch) {

    /** What a return ends as; WAITING is asked again, LOST waits too and is proof of a loss. */
    enum Outcome {
        WAITING,
        LOST,
        RETURNED,
        BURNED,
        ALREADY_DONE,
        OLDER,
        RETIRED
    }

    boolean isWaiting() {
        return outcome == Outcome.WAITING;
    }
}
