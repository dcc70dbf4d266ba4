import type { Bigram } from './pattern.ts';

/** How one character (or byte, or digit) of a text may be written. Made once for each, as making it takes long. */
export interface Encoding {
  /** Bytes that it can begin with, and end with. */
  readonly first: readonly number[];
  /** Bytes that it can end with. */
  readonly last: readonly number[];
  /** Bytes that stand for it alone. */
  readonly single: readonly number[];
  /** The pairs with which a way to write it in several bytes begins; and all pairs of such ways. */
  readonly begins: readonly Bigram[];
  /** Pairs of bytes inside it. */
  readonly within: readonly Bigram[];
}

/** The pairs of neighbours in all that can be written in these places, one behind the other. */
export function bigramsOf(places: readonly Encoding[]): Bigram[] {
  const pairs = new Set<Bigram>();
  for (const [i, { last, within }] of places.entries()) {
    for (const pair of within) pairs.add(pair);
    for (const pair of across(last, places[i + 1]?.first ?? [])) pairs.add(pair);
  }
  return [...pairs];
}

/** The pairs with which all that can be written in these places can begin. */
export function beginningsOf([place, next]: readonly Encoding[]): Bigram[] {
  if (place === undefined) return [];
  return [...new Set([...place.begins, ...across(place.single, next?.first ?? [])])];
}

/** One character that can be written in several ways, each a row of places with the bytes that may stand in each. */
export function writtenAs(ways: readonly (readonly (readonly number[])[])[]): Encoding {
  const several = ways.filter((way) => way.length > 1);
  return {
    first: unique(ways.flatMap((way) => way[0] ?? [])),
    last: unique(ways.flatMap((way) => way.at(-1) ?? [])),
    single: unique(ways.flatMap((way) => (way.length === 1 ? (way[0] ?? []) : []))),
    begins: unique(several.flatMap((way) => across(way[0] ?? [], way[1] ?? []))),
    within: unique(several.flatMap((way) => way.flatMap((here, i) => across(here, way[i + 1] ?? [])))),
  };
}

/** The numbers without repeats. */
function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

/** All pairs of one of these bytes and one of those. */
function across(before: readonly number[], after: readonly number[]): Bigram[] {
  return before.flatMap((first) => after.map((second) => first * 256 + second));
}
