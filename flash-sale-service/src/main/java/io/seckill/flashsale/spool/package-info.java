/** Keeps attempts on disk while no shard of their sale can be asked, and makes them then. */
package io.seckill.flashsale.spool;
