// The end of every run: one table, the limits in force beside it, and the whole as JSON
// (SUMMARY=FILE).
import { BASE_URL, LIMITS, PRODUCT, STOCK, text } from './settings.js';

const COUNTS = ['attempts', 'accepted', 'refused', 'sold_out', 'already_bought',
  'empty_handed', 'gave_up', 'unknown', 'ordered', 'rejected', 'no_result', 'dropped_iterations'];
const TIMES = ['attempt_time', 'accepted_time', 'refused_time', 'accepted_to_ordered'];

export const TREND_STATS = ['p(50)', 'p(95)', 'p(99)', 'max'];

// Where the load is one that the deployment should carry: no attempt is BUSY or without an answer,
// and nobody who was accepted is rejected afterwards.
export const ALL_ANSWERED = { unknown: ['count==0'], rejected: ['count==0'] };

// Of every scenario: all arrivals came, every answer is of the contract, and what was accepted has
// its final word.
export function thresholds(...more) {
  const own = {
    dropped_iterations: ['count==0'],
    wrong_answers: ['rate==0'],
    no_result: ['count==0'],
  };
  if (STOCK > 0) own.accepted = [`count<=${STOCK}`];
  for (const rules of more) {
    for (const name of Object.keys(rules)) own[name] = (own[name] || []).concat(rules[name]);
  }
  return own;
}

// Where somebody must get something: a deployment that answers nobody must not hold.
export const SOMEBODY_BOUGHT = { accepted: ['count>0'] };

export function report(data) {
  const out = { stdout: table(data) };
  const file = text('SUMMARY', '');
  if (file) out[file] = JSON.stringify(data, null, 2);
  return out;
}

function table(data) {
  const seconds = data.state.testRunDurationMs / 1000;
  const lines = [
    `\n${BASE_URL}, product ${PRODUCT}, ${seconds.toFixed(1)} s`,
    `limits in force: ${LIMITS || 'not known to this script; tell it with -e LIMITS=…'}`,
  ];
  for (const name of COUNTS) lines.push(counted(name, data.metrics[name], seconds));
  for (const name of TIMES) {
    const metric = data.metrics[name];
    if (metric) lines.push(timed(name, metric.values));
  }
  return `${lines.concat(verdict(data)).join('\n')}\n`;
}

function counted(name, metric, seconds) {
  const count = metric ? metric.values.count : 0;
  const perSecond = (count / seconds).toFixed(1);
  return `${name.padEnd(22)}${String(count).padStart(10)}${perSecond.padStart(12)}/s`;
}

function timed(name, values) {
  const each = TREND_STATS.map((stat) => `${stat}=${(values[stat] || 0).toFixed(1)}`).join('  ');
  return `${name.padEnd(22)}${each} ms`;
}

function verdict(data) {
  if (!data.metrics.iterations) return ['NOTHING RAN'];
  const lines = failedChecks(data.root_group).concat(breached(data.metrics));
  if (lines.some((line) => line.startsWith('BREACHED') && line.includes('iterations'))) {
    lines.push('the generator was the limit: it could not start all arrivals;'
      + ' lower RATE, raise VUS, or give it more CPU');
  }
  return lines.length ? lines : ['all thresholds hold'];
}

function failedChecks(group) {
  return group.checks.filter((each) => each.fails > 0)
    .map((each) => `FAILED ${each.name}: ${each.fails} of ${each.fails + each.passes}`);
}

function breached(metrics) {
  const lines = [];
  for (const name of Object.keys(metrics)) {
    const rules = metrics[name].thresholds || {};
    for (const rule of Object.keys(rules)) {
      if (!rules[rule].ok) lines.push(`BREACHED ${name}: ${rule}`);
    }
  }
  return lines;
}
