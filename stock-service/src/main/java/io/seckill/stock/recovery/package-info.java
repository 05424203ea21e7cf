/** Shards that come back, and books that mend themselves. */
package io.seckill.stock.recovery;
