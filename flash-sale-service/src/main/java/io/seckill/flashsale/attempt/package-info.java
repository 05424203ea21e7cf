/** Decides about one attempt: who gets a unit, of which shard. */
package io.seckill.flashsale.attempt;
