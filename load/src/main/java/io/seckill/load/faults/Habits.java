package io.seckill.load.faults;

/**
 * What the users of a round do about money.
 *
 * @param pays they pay for what they hold, but half of them leave their first order unpaid
 * @param paysLate those think better of it at the instant at which the order is closed
 */
record Habits(boolean pays, boolean paysLate) {}
