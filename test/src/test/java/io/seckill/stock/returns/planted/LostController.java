package io.seckill.stock.returns.planted;

/** Breaks: a controller outside the entry. */
final class LostController {}
