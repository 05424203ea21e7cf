package io.seckill.common.planted;

import io.seckill.stock.planted.Inside;

/** Breaks: shared code knows a service. */
final class KnowsAService {

    final Inside inside = new Inside();
}
