/** The sharded stock: its scripts, the client of one shard, and the ring over all of them. */
package io.seckill.shard;
