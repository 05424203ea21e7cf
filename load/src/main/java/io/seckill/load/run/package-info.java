/**
 * `./seckill load`: a crowd on a sale of its own, and whether the books agree with what it was
 * told.
 */
package io.seckill.load.run;
