// What a run is told by its environment (k6 run -e NAME=VALUE); a bad value stops it and is named.
// `open` is k6's: it works at start only, and a relative path counts from this file.
import { signingKey } from './token.js';

export const BASE_URL = text('BASE_URL', 'http://127.0.0.1:8080').replace(/\/+$/, '');
export const PRODUCT = matching('PRODUCT', '518', /^[1-9][0-9]{0,17}$/);
export const STOCK = whole('STOCK', 0); // units on sale; 0: not known, nothing is compared with it
export const LIMITS = text('LIMITS', ''); // the limits in force, in words, for the report
// Part of each user's name.
export const RUN = matching('RUN', Date.now().toString(36), /^[A-Za-z0-9_-]{1,24}$/);
export const KEY = signingKey(open(keyFile()));
export const REFUSALS = {};

for (const row of JSON.parse(open('../../contracts/refusals.json'))) REFUSALS[row.code] = row;

// A path that somebody types counts from where they type it.
function keyFile() {
  const path = text('KEY_FILE', '');
  if (!path) return '../../.run/secrets/token-keys';
  return path.startsWith('/') || !__ENV.PWD ? path : `${__ENV.PWD}/${path}`;
}

export function whole(name, initial, least = 0) {
  const value = Number(matching(name, String(initial), /^(0|[1-9][0-9]{0,8})$/));
  if (value < least) throw new Error(`${name} is '${value}': it must be at least ${least}`);
  return value;
}

// Whole seconds of a text like 60s, 5m, 1h.
export function seconds(name, initial) {
  const value = matching(name, initial, /^[1-9][0-9]{0,5}(s|m|h)$/);
  return parseInt(value, 10) * { s: 1, m: 60, h: 3600 }[value.slice(-1)];
}

export function text(name, initial) {
  return __ENV[name] === undefined ? initial : __ENV[name];
}

function matching(name, initial, form) {
  const value = text(name, initial);
  if (!form.test(value)) throw new Error(`${name} is '${value}': it must match ${form}`);
  return value;
}
