// A few buyers do everything once: look, buy, wait for the result, see the order.
import exec from 'k6/execution';
import { check } from 'k6';
import { came, constantRate } from './lib/arrivals.js';
import { ALL_ANSWERED, report, thresholds, TREND_STATS } from './lib/report.js';
import * as shop from './lib/shop.js';

const arrivals = constantRate(2, '5s', 10);

export const options = {
  summaryTrendStats: TREND_STATS,
  scenarios: { smoke: arrivals },
  thresholds: thresholds(came(arrivals), ALL_ANSWERED, {
    checks: ['rate==1'], ordered: ['count>0'],
  }),
};

export function setup() {
  return shop.sale();
}

export default function smoke(sale) {
  const token = shop.tokenOf(shop.user(exec.scenario.iterationInTest));
  shop.viewSales();
  if (!shop.buy(sale, token, 5)) return;
  const status = shop.awaitResult(token);
  check(status, { 'an accepted attempt becomes an order': () => status === 'ORDERED' });
  check(shop.ownOrders(token), { 'the order is in the list': (orders) => orders.length === 1 });
}

export const handleSummary = report;
