/** Hop 4: the truth about units. Preheats them, takes them back, and audits the books. */
package io.seckill.stock;
