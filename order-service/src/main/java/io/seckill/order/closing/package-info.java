/** The end of orders that nobody paid. */
package io.seckill.order.closing;
