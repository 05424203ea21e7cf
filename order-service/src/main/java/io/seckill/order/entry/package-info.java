/** What comes in: reservations from the topic, buyers' requests. */
package io.seckill.order.entry;
