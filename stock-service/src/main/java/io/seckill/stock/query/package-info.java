/** The books: shards, ledger and orders compared, every difference named. */
package io.seckill.stock.query;
