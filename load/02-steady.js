// The everyday mix of the README's table at a constant rate.
import exec from 'k6/execution';
import { came, constantRate } from './lib/arrivals.js';
import { ALL_ANSWERED, report, thresholds, TREND_STATS } from './lib/report.js';
import { whole } from './lib/settings.js';
import * as shop from './lib/shop.js';

const USERS = whole('USERS', 1000, 1);

const arrivals = constantRate(100, '60s', 2);

export const options = {
  summaryTrendStats: TREND_STATS,
  scenarios: { steady: arrivals },
  thresholds: thresholds(came(arrivals), ALL_ANSWERED, { attempt_time: ['p(99)<500'] }),
};

export function setup() {
  return shop.sale();
}

// What an arrival does goes by its number, who it is by chance: so everybody does everything.
export default function steady(sale) {
  const turn = exec.scenario.iterationInTest % 10;
  const token = shop.tokenOf(shop.user(Math.floor(Math.random() * USERS)));
  if (turn < 4) shop.viewSales();
  else if (turn < 7) buy(sale, token);
  else if (turn < 9) shop.result(token);
  else shop.ownOrders(token);
}

function buy(sale, token) {
  if (shop.buy(sale, token, 5)) shop.awaitResult(token);
}

export const handleSummary = report;
