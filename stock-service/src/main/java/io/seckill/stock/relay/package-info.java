/** What the control Redis is told: the catalog of open sales, sold out or not, and their quotas. */
package io.seckill.stock.relay;
