/** Tells a buyer what became of the try; changes no stock. */
package io.seckill.flashsale.query;
