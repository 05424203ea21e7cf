// What a buyer does, call by call, each answer checked against contracts/README.md and counted.
import http from 'k6/http';
import { check, sleep } from 'k6';
import { Counter, Rate, Trend } from 'k6/metrics';
import { BASE_URL, KEY, PRODUCT, REFUSALS, RUN } from './settings.js';
import { mint } from './token.js';

export const attempts = new Counter('attempts');
export const accepted = new Counter('accepted');
export const alreadyBought = new Counter('already_bought');
export const refused = new Counter('refused'); // the codes that have no counter of their own
export const soldOut = new Counter('sold_out');
export const unknown = new Counter('unknown'); // PENDING, BUSY, or no answer at all
export const ordered = new Counter('ordered');
export const rejected = new Counter('rejected'); // accepted, and its final word is another one
export const noResult = new Counter('no_result'); // accepted, and no final word in a minute
export const emptyHanded = new Counter('empty_handed'); // was told that there is no unit
export const gaveUp = new Counter('gave_up'); // was told to come again, and had no tries left
export const wrong = new Rate('wrong_answers'); // an answer that the contract does not have
export const attemptTime = new Trend('attempt_time', true);
export const acceptedTime = new Trend('accepted_time', true);
export const refusedTime = new Trend('refused_time', true);
export const orderedTime = new Trend('accepted_to_ordered', true);

const NO_ANSWER = 'NO_ANSWER'; // the connection ended, or 10 s passed
const UNTOLD = ['PENDING', 'BUSY', NO_ANSWER]; // it may have happened
export const UNKNOWN = 'UNKNOWN'; // instead of a result: refused, or no answer
const RETRY_SPREAD = 1.5; // a retry is told 100 % to 150 % of the table's time
const FINAL_NO = { SOLD_OUT: soldOut, ALREADY_BOUGHT: alreadyBought };
const REFUSED_ATTEMPTS = ['SOLD_OUT', 'ALREADY_BOUGHT', 'NOT_STARTED', 'ENDED',
  'TOO_MANY_REQUESTS', 'PAUSED', 'BUSY'];
const REFUSED_CALLS = ['TOO_MANY_REQUESTS', 'BUSY'];
const FINAL = ['ORDERED', 'REJECTED', 'CANCELLED']; // words on an attempt that was accepted
const RESULTS = ['PENDING', 'SOLD_OUT', 'NONE'].concat(FINAL);
const FIRST_POLL_S = 0.1;
const LAST_POLL_S = 1;
const PATIENCE_MS = 60000;

let told = false; // this virtual user has shown a wrong answer

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 599 })); // a refusal is no failure

// A user that no other run has; name tells the crowds of one run apart.
export function user(number, name = 'u') {
  return `${RUN}-${name}${number}`;
}

export function tokenOf(name) {
  return mint(KEY, name, Date.now());
}

// The sale as the edge tells it, once it is open; throws when there is none, for then no figure
// means anything. A sale that starts within half a minute is waited for: T0 is then the sale's own.
export function sale() {
  const response = call('GET', `sales/${PRODUCT}`, null, 'sales');
  if (response.status !== 200) {
    const said = response.body || response.error;
    throw new Error(`${BASE_URL} has no sale of product ${PRODUCT}: ${response.status} ${said}`);
  }
  const known = response.json();
  const waitS = (Date.parse(known.startAt) - Date.parse(known.serverTime)) / 1000;
  if (waitS > 30) throw new Error(`the sale of product ${PRODUCT} starts at ${known.startAt}`);
  if (waitS > 0) sleep(waitS);
  return known;
}

// One attempt: {code, retryAfterMs}; code is NO_ANSWER when none came. sale: as sale() read it.
// Where the signed path is refused, that refusal is the answer.
export function attempt(sale, token) {
  let way = '';
  if (sale.path === 'on') {
    const signed = signedPath(token);
    if (signed.code) return signed;
    way = `${signed.path}/`;
  }
  const response = call('POST', `flash/sale/${way}deduct?productId=${PRODUCT}`, token, 'deduct');
  const answer = body(response);
  count(answer.code, response.timings.duration);
  holds(response, 'attempt: 202 with a reservation, or a refusal of the table',
    answer.code === 'ACCEPTED' || answer.code === 'PENDING'
      ? response.status === 202 && /^[0-9a-f]{32}$/.test(answer.reservationId)
      : isRefusal(response, answer, REFUSED_ATTEMPTS));
  return answer;
}

// {path}, or the refusal, which ends the attempt and is counted as it.
function signedPath(token) {
  const response = call('POST', `flash/sale/path?productId=${PRODUCT}`, token, 'path');
  const answer = body(response);
  if (answer.code) count(answer.code, response.timings.duration);
  holds(response, 'path: 200 with a path, or a refusal of the table', response.status === 200
    ? /^[0-9]+-[0-9a-f]{64}$/.test(answer.path)
    : isRefusal(response, answer, REFUSED_ATTEMPTS));
  return answer;
}

function count(code, ms) {
  attempts.add(1);
  attemptTime.add(ms);
  if (code === 'ACCEPTED') {
    accepted.add(1);
    acceptedTime.add(ms);
  } else if (UNTOLD.includes(code)) {
    unknown.add(1);
  } else {
    refusedTime.add(ms);
    (FINAL_NO[code] || refused).add(1);
  }
}

// Asks again as it is told, `tries` times at most; true when the buyer holds a unit.
export function buy(sale, token, tries) {
  return tryOn(sale, token, tries, (answer) => {
    if (answer.retryAfterMs > 0) sleep(answer.retryAfterMs / 1000);
    return answer.retryAfterMs > 0;
  });
}

// The same at once, whatever it is told.
export function buyAtOnce(sale, token, tries) {
  return tryOn(sale, token, tries, () => true);
}

// again: waits and says whether to try again after an answer. Who finds that it has bought after an
// attempt whose outcome it was not told, holds that attempt's.
function tryOn(sale, token, tries, again) {
  let lost = false;
  for (let n = 1; ; n++) {
    const answer = attempt(sale, token);
    if (answer.code === 'ACCEPTED' || answer.code === 'PENDING') return true; // the result tells
    if (answer.code === 'ALREADY_BOUGHT') return lost;
    if (n === tries || !again(answer)) return goesWithout(answer);
    lost = lost || UNTOLD.includes(answer.code);
  }
}

// Of the last attempt of a buyer; false.
function goesWithout(answer) {
  if (answer.retryAfterMs === 0) emptyHanded.add(1);
  else if (!UNTOLD.includes(answer.code)) gaveUp.add(1);
  return false;
}

export function result(token) {
  const response = call('GET', `flash/sale/result?productId=${PRODUCT}`, token, 'result');
  const answer = body(response);
  holds(response, 'result: a status of the contract, or a refusal of the table',
    response.status === 200
      ? RESULTS.includes(answer.status)
      : isRefusal(response, answer, REFUSED_CALLS));
  return response.status === 200 ? answer.status : UNKNOWN; // a refusal's is HTTP's
}

// The final word on an accepted attempt, or PENDING when a buyer's patience ended before.
export function awaitResult(token) {
  const start = Date.now();
  for (let pauseS = FIRST_POLL_S; Date.now() - start < PATIENCE_MS; pauseS *= 1.5) {
    const status = result(token);
    if (!['PENDING', UNKNOWN].includes(status)) return ended(status, Date.now() - start);
    sleep(Math.min(pauseS, LAST_POLL_S));
  }
  noResult.add(1);
  return 'PENDING';
}

function ended(status, ms) {
  wrong.add(!check(status, {
    'result: of an accepted attempt is never forgotten': () => FINAL.includes(status),
  }));
  (status === 'ORDERED' ? ordered : rejected).add(1);
  if (status === 'ORDERED') orderedTime.add(ms);
  return status;
}

export function ownOrders(token) {
  const response = call('GET', 'orders', token, 'orders');
  const answer = body(response);
  holds(response, 'orders: a list, or a refusal of the table', response.status === 200
    ? Array.isArray(answer.orders)
    : isRefusal(response, answer, REFUSED_CALLS));
  return answer.orders || [];
}

export function viewSales() {
  const response = call('GET', 'sales', null, 'sales');
  holds(response, 'sales: 200 with a list',
    response.status === 200 && Array.isArray(body(response).sales));
}

// Checks and counts; the first wrong answer of each virtual user is shown.
function holds(response, name, right) {
  check(response, { [name]: () => right });
  wrong.add(!right);
  if (right || told) return;
  told = true;
  console.error(`wrong answer: ${response.status} ${response.body} (not ${name})`);
}

// Status, message and time to wait are those of the table; no answer breaks no contract.
function isRefusal(response, answer, codes) {
  if (answer.code === NO_ANSWER) return true;
  const row = REFUSALS[answer.code];
  return codes.includes(answer.code) && row.status === response.status
    && typeof answer.message === 'string' && isWait(answer, row.retryAfterMs)
    && (row.retryAfterMs === 0 || Number(response.headers['Retry-After']) >= 1);
}

function isWait(answer, tableMs) {
  const ms = answer.retryAfterMs;
  if (tableMs === 0) return ms === 0;
  if (answer.code === 'NOT_STARTED') return ms > 0; // what is left until the start
  return Number.isInteger(ms) && ms >= tableMs && ms <= tableMs * RETRY_SPREAD;
}

// The name groups addresses; without it each signed path would be a series of its own.
function call(method, path, token, name) {
  return http.request(method, `${BASE_URL}/seckill/${path}`, null, {
    headers: token ? { Authorization: `Bearer ${token}` } : {}, tags: { name }, timeout: '10s',
  });
}

// What is no JSON object is shown as the text it is, and is no answer of the contract.
function body(response) {
  if (response.status === 0) return { code: NO_ANSWER, retryAfterMs: 1000 };
  try {
    return Object.assign({}, response.json());
  } catch (e) {
    return { code: 'NO_JSON', retryAfterMs: 0 };
  }
}
