/** Stock that is counted: who gets units, what comes back, and the books of a shard. */
package io.seckill.quantity;
