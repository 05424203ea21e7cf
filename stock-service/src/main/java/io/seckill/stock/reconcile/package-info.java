/** Shards and orders compared, a page at a time, and mended where they differ. */
package io.seckill.stock.reconcile;
