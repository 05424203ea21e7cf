/** Hop 2: decides who gets a unit, hands the reservation over, tells the buyer what became of it. */
package io.seckill.flashsale;
