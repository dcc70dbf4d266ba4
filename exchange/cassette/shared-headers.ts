import type { HeaderPairs } from '../http/headers.ts';

type HeaderPair = HeaderPairs[number];

/** Maximum number of names, and of values per name, that are remembered: a target may send new ones each time. */
const MAX_REMEMBERED = 200;
/** Maximum length of a remembered name or value, in characters. */
const MAX_LENGTH = 256;

const shared = new Map<string, Map<string, HeaderPair>>();

/**
 * Returns the same pair for equal headers, within the limits above: judges remember thousands of exchanges, and nearly
 * all of their headers are equal.
 */
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
