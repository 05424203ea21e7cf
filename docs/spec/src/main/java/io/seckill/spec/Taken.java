package io.seckill.spec;

/** Units taken in a shard, with its stamps: an outbox entry, and the message it becomes. */
record Taken(String id, String user, int units, int shard, int epoch, int seq) {

    /** One reservation may be taken twice, in two lives of its shard. */
    String key() {
        return id + "@" + epoch + "." + seq;
    }
}
