/** What a shard may lose in the middle of a sale, and how the sale comes out; from outside. */
package io.seckill.load.faults;
