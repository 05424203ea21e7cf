/** The copy under load: where it is, its sales, limits and usage. */
package io.seckill.load.copy;
