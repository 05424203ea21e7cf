// The moment it is all about: every buyer comes at T0, then the curious.
import exec from 'k6/execution';
import { came, LAST_WORDS, virtualUsers } from './lib/arrivals.js';
import { report, SOMEBODY_BOUGHT, thresholds, TREND_STATS } from './lib/report.js';
import { seconds, whole } from './lib/settings.js';
import * as shop from './lib/shop.js';

const RATE = whole('RATE', 500, 1);
const USERS = whole('USERS', RATE * 3, 1); // who come at T0, so many a second
const TRIES = whole('TRIES', 20, 1); // of one buyer, as told by retryAfterMs
const CURIOUS = Math.ceil(RATE / 10);
const burst = `${Math.round(USERS * 1000 / RATE)}ms`;
const tailS = seconds('DURATION', '10s');

export const options = {
  summaryTrendStats: TREND_STATS,
  scenarios: {
    spike: {
      executor: 'ramping-arrival-rate', startRate: RATE,
      preAllocatedVUs: virtualUsers(USERS + CURIOUS * 5),
      gracefulStop: LAST_WORDS,
      stages: [
        { target: RATE, duration: burst },
        { target: CURIOUS, duration: '0s' },
        { target: CURIOUS, duration: `${tailS}s` },
      ],
    },
  },
  thresholds: thresholds(came(
    { arrivals: USERS }, { rate: CURIOUS, duration: `${tailS}s` },
  ), SOMEBODY_BOUGHT, { attempt_time: ['p(99)<3000'] }),
};

export function setup() {
  return shop.sale();
}

export default function spike(sale) {
  const token = shop.tokenOf(shop.user(exec.scenario.iterationInTest));
  if (shop.buy(sale, token, TRIES)) shop.awaitResult(token);
}

export const handleSummary = report;
