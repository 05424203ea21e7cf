package io.seckill.spec;

/** A row of stock_change: units that a shard gets; epoch is the ledger's in that transaction. */
record Change(int number, int shard, int units, int epoch, boolean done) {

    Change asDone() {
        return new Change(number, shard, units, epoch, true);
    }
}
