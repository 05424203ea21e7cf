/** Sends on: each reservation from its outbox, and again when its result is overdue. */
package io.seckill.flashsale.relay;
