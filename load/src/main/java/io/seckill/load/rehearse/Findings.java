package io.seckill.load.rehearse;

/**
 * What was measured, per second.
 *
 * @param refused attempts of users with tokens, refused at the edge
 * @param accepted attempts that took a unit, durably queued
 * @param acceptedP99Ms of their answers
 * @param busy answers BUSY meanwhile, in all: so many did not get through in time
 * @param landed orders written while buyers came in and after
 * @param landingKeptUp nearly all had landed when the last was accepted: it may do more
 * @param clientWasTheLimit the generator could send no faster: the edge may do more
 */
record Findings(
        double refused,
        double accepted,
        double acceptedP99Ms,
        long busy,
        double landed,
        boolean landingKeptUp,
        boolean clientWasTheLimit) {}
