// Open arrivals: a buyer comes when it is time, whether or not those before have been answered.
// Every virtual user that the rate can need is made before the start, for k6 starts no arrival
// without a free one; what it could not start is counted (dropped_iterations), and no run passes
// with one of those.
import { seconds, whole } from './settings.js';

// stayS: how long an arrival may stay at worst, and so how many of them are there at once.
export function constantRate(rate, duration, stayS) {
  const perSecond = whole('RATE', rate, 1);
  return {
    executor: 'constant-arrival-rate',
    rate: perSecond,
    duration: `${seconds('DURATION', duration)}s`,
    preAllocatedVUs: virtualUsers(perSecond * stayS),
  };
}

export function virtualUsers(atOnce) {
  return whole('VUS', Math.max(20, Math.ceil(atOnce)), 1);
}
