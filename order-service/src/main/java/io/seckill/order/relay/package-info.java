/** What is sent on: messages decided in a transaction. */
package io.seckill.order.relay;
