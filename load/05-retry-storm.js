// Clients that ignore Retry-After: each asks again at once, and must not keep out those who wait.
import exec from 'k6/execution';
import { came, constantRate, virtualUsers } from './lib/arrivals.js';
import { report, thresholds, TREND_STATS } from './lib/report.js';
import { whole } from './lib/settings.js';
import * as shop from './lib/shop.js';

const TRIES = whole('TRIES', 20, 1);
const storm = constantRate(50, '20s', 10);
const others = Math.ceil(storm.rate / 10);
const polite = Object.assign({}, storm, {
  exec: 'waiting', rate: others, preAllocatedVUs: virtualUsers(others * 10),
});

export const options = {
  summaryTrendStats: TREND_STATS,
  scenarios: {
    greedy: Object.assign({}, storm, { exec: 'greedy' }),
    polite,
  },
  thresholds: thresholds(came(storm, polite), {
    attempt_time: ['p(99)<3000'], 'accepted{scenario:polite}': ['count>0'],
  }),
};

export function setup() {
  return shop.sale();
}

// Whatever it is told, until it holds a unit.
export function greedy(sale) {
  const token = shop.tokenOf(shop.user(exec.scenario.iterationInTest, 'greedy'));
  if (shop.buyAtOnce(sale, token, TRIES)) shop.awaitResult(token);
}

export function waiting(sale) {
  const token = shop.tokenOf(shop.user(exec.scenario.iterationInTest, 'polite'));
  if (shop.buy(sale, token, TRIES)) shop.awaitResult(token);
}

export const handleSummary = report;
