package io.seckill.stock.returns.planted;

/** Breaks: a relay outside its room. */
final class LostRelay {}
