package io.seckill.load.faults;

/**
 * What the users of a round do.
 *
 * @param pays they pay for what they hold, but half of them leave their first order unpaid
 * @param paysLate those think better of it at the instant at which the order is closed
 * @param takesTwo a third of them want two units
 */
record Habits(boolean pays, boolean paysLate, boolean takesTwo) {}
