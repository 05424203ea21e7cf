// A small load for long: what leaks, drifts or fills up shows here.
import exec from 'k6/execution';
import { came, constantRate } from './lib/arrivals.js';
import { ALL_ANSWERED, report, thresholds, TREND_STATS } from './lib/report.js';
import * as shop from './lib/shop.js';

const arrivals = constantRate(20, '1h', 5);

export const options = {
  summaryTrendStats: TREND_STATS,
  scenarios: { soak: arrivals },
  thresholds: thresholds(came(arrivals), ALL_ANSWERED, { attempt_time: ['p(99)<500'] }),
};

export function setup() {
  return shop.sale();
}

export default function soak(sale) {
  const token = shop.tokenOf(shop.user(exec.scenario.iterationInTest));
  if (shop.buy(sale, token, 5)) shop.awaitResult(token);
  shop.viewSales();
}

export const handleSummary = report;
