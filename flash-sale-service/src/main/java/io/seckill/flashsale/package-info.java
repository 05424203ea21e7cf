/** Hop 2: decides who gets a unit, hands it over, tells the buyer what became of it. */
package io.seckill.flashsale;
