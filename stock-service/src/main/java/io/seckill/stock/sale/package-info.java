/** Sales: asked for, preheated over the shards, opened, and published to the control Redis. */
package io.seckill.stock.sale;
