/** Sales: asked for, split and preheated over the shards, opened. */
package io.seckill.stock.sale;
