// A crowd that comes too late: every answer is SOLD_OUT, from the edge.
import exec from 'k6/execution';
import { came, constantRate } from './lib/arrivals.js';
import { ALL_ANSWERED, report, thresholds, TREND_STATS } from './lib/report.js';
import { whole } from './lib/settings.js';
import * as shop from './lib/shop.js';

// Different ones; 0: another one each time, whose token the edge has never seen.
const USERS = whole('USERS', 0);

const arrivals = constantRate(1000, '20s', 0.5);

export const options = {
  summaryTrendStats: TREND_STATS,
  scenarios: { late: arrivals },
  thresholds: thresholds(came(arrivals), ALL_ANSWERED, {
    accepted: ['count==0'],
    refused: ['count==0'],
    sold_out: ['count>0'],
    refused_time: ['p(99)<100'],
  }),
};

export function setup() {
  const sale = shop.sale();
  if (!sale.soldOut) throw new Error(`product ${sale.productId} is not sold out yet`);
  return Object.assign(sale, { path: 'off' }); // nobody who comes too late has got a path
}

export default function late(sale) {
  const number = exec.scenario.iterationInTest;
  const token = shop.tokenOf(shop.user(USERS ? number % USERS : number));
  shop.attempt(sale, token);
}

export const handleSummary = report;
