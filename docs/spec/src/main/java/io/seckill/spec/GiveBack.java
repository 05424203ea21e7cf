package io.seckill.spec;

/** A return on its way; epoch is the ledger's when the order became final. */
record GiveBack(String id, int shard, int epoch, boolean burns) {

    String key() {
        return id + "@" + epoch;
    }
}
