/** What comes in: requests of operators, whose tokens are checked first, and messages. */
package io.seckill.stock.entry;
