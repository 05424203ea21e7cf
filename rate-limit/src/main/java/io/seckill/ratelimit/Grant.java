package io.seckill.ratelimit;

/**
 * An answer to one call.
 *
 * @param waitMs before the call begins; of a refused one: until asking may help
 */
record Grant(boolean isGranted, long waitMs) {}
