/**
 * Hop 3: turns each reservation into one order or one rejection, takes payments, closes the unpaid.
 */
package io.seckill.order;
