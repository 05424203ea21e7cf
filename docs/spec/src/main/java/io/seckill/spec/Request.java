package io.seckill.spec;

/** An attempt that may still reach its shard. */
record Request(String id, String user, int units, int shard) {}
