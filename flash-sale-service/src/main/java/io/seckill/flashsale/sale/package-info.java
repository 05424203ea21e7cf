/** The facts of the sales, as stock-service published them. */
package io.seckill.flashsale.sale;
