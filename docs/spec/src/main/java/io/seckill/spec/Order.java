package io.seckill.spec;

/** What a reservation became; finalEpoch is 0 while it is live. */
record Order(Taken taken, Status status, int finalEpoch) {

    enum Status {
        LIVE,
        CANCELLED,
        REJECTED,
        /** Rejected: the ledger had not that much left. */
        FULL,
        /** Rejected: an opening did not keep it, so nothing is given back. */
        LOST
    }

    boolean isLive() {
        return status == Status.LIVE;
    }

    boolean owesReturn() {
        return status != Status.LIVE && status != Status.LOST;
    }

    GiveBack giveBack() {
        return new GiveBack(taken.id(), taken.shard(), finalEpoch, status == Status.FULL);
    }
}
