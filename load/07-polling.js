// Winners who poll for their result until they hold an order, and go on polling after it.
import exec from 'k6/execution';
import { check, sleep } from 'k6';
import { came, constantRate } from './lib/arrivals.js';
import { ALL_ANSWERED, report, thresholds, TREND_STATS } from './lib/report.js';
import { whole } from './lib/settings.js';
import * as shop from './lib/shop.js';

const POLLS = whole('POLLS', 10, 1); // after the order is known
const PAUSE_S = 0.1;

const arrivals = constantRate(20, '20s', 10);

export const options = {
  summaryTrendStats: TREND_STATS,
  scenarios: { polling: arrivals },
  thresholds: thresholds(came(arrivals), ALL_ANSWERED, {
    ordered: ['count>0'],
    accepted_to_ordered: ['p(99)<5000'],
    'checks{about:going_back}': ['rate==1'],
  }),
};

export function setup() {
  return shop.sale();
}

export default function polling(sale) {
  const token = shop.tokenOf(shop.user(exec.scenario.iterationInTest));
  if (!shop.buy(sale, token, 5) || shop.awaitResult(token) !== 'ORDERED') return;
  for (let polls = 0; polls < POLLS; polls++) {
    sleep(PAUSE_S);
    const status = shop.result(token);
    check(status, {
      'a result never goes back': () => ['ORDERED', shop.UNKNOWN].includes(status),
    }, { about: 'going_back' });
  }
}

export const handleSummary = report;
