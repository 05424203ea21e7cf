// Open arrivals: a buyer comes when it is time, whether or not those before have been answered.
// Every virtual user that the rate can need is made before the start, for k6 starts no arrival
// without a free one; what it could not start is counted (dropped_iterations), and no run passes
// with one of those. What it did not get round to before the end is counted nowhere: that is why
// the arrivals are counted too.
import { seconds, whole } from './settings.js';

const REACHED = 0.99; // of the arrivals asked for

export const LAST_WORDS = '90s'; // for the tries and polls of who came last

// A threshold: all but the last few arrivals came, and went through to their end.
export function came(...scenarios) {
  let arrivals = 0;
  for (const each of scenarios) {
    arrivals += each.arrivals || each.rate * parseInt(each.duration, 10);
  }
  return { iterations: [`count>=${Math.floor(arrivals * REACHED)}`] };
}

// stayS: how long an arrival may stay at worst, and so how many of them are there at once.
export function constantRate(rate, duration, stayS) {
  const perSecond = whole('RATE', rate, 1);
  return {
    executor: 'constant-arrival-rate',
    rate: perSecond,
    duration: `${seconds('DURATION', duration)}s`,
    preAllocatedVUs: virtualUsers(perSecond * stayS),
    gracefulStop: LAST_WORDS,
  };
}

export function virtualUsers(atOnce) {
  return whole('VUS', Math.max(20, Math.ceil(atOnce)), 1);
}
