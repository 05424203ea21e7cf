/** Money, once per order. */
package io.seckill.order.payment;
