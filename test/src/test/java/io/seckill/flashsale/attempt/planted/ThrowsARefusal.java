package io.seckill.flashsale.attempt.planted;

import io.seckill.common.planted.RefusedException;

/** Breaks: a room throws a refusal instead of answering it. */
final class ThrowsARefusal {

    final RefusedException refusal = new RefusedException();
}
