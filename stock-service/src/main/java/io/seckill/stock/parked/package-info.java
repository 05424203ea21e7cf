/** Messages that a service kept for a human. */
package io.seckill.stock.parked;
