/** What is only read: orders as their buyer sees them. */
package io.seckill.order.query;
