/** Units that come back to the shard they were taken from. */
package io.seckill.stock.returns;
