/** The decision: what a reservation becomes, and the order it is from then on. */
package io.seckill.order.booking;
