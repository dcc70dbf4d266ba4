import type { HeaderPairs } from '../http/headers.ts';

type HeaderPair = HeaderPairs[number];

/** Maximum number of names, and of values per name, that are remembered: a target may send new ones each time. */
const MAX_REMEMBERED = 200;
const MAX_LENGTH = 256;

const shared = new Map<string, Map<string, HeaderPair>>();

/** Judges remember thousands of exchanges, and nearly all of their headers are equal. */
export function sharedHeader(name: string, value: string): HeaderPair {
  let values = shared.get(name);
  if (values === undefined) {
    values = new Map();
    if (shared.size < MAX_REMEMBERED && name.length <= MAX_LENGTH) shared.set(name, values);
  }
  let pair = values.get(value);
  if (pair === undefined) {
    pair = [name, value];
    if (values.size < MAX_REMEMBERED && value.length <= MAX_LENGTH) values.set(value, pair);
  }
  return pair;
}
