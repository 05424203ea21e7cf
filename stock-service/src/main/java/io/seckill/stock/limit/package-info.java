/**
 * What operators set by hand in the control Redis, kept in the database for when it is lost there.
 */
package io.seckill.stock.limit;
