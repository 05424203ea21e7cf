package io.seckill.order.planted;

import io.seckill.stock.planted.Inside;

/** Breaks: a service reaches into another. */
final class ReachesIntoStock {

    final Inside inside = new Inside();
}
