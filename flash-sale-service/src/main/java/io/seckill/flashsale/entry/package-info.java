/** What comes in: the routes of the edge, the events of order-service. */
package io.seckill.flashsale.entry;
