/**
 * The client of a shard: connections, scripts, the ring over a sale's placements, the outbox. It
 * knows nothing of what is sold.
 */
package io.seckill.shard;
