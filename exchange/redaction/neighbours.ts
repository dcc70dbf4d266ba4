import type { Pair } from './spelled.ts';

/** The pairs of neighbours in bytes of which each may be one of several. */
export function neighbours(choices: readonly (readonly number[])[]): Pair[] {
  return choices.slice(1).flatMap((after, i) => across(choices[i] ?? [], after));
}

/** One way to write a character, or a byte of one: the bytes that may stand in each place, and how many of the text it stands for. */
export interface Written {
  readonly choices: readonly (readonly number[])[];
  readonly taken: number;
}

/** The pairs of neighbours in all that can be written where each place of a text has its own ways. */
export function neighboursOf(ways: readonly (readonly Written[])[]): Pair[] {
  const firsts = ways.map((here) => here.flatMap(({ choices }) => choices[0] ?? []));
  return ways.flatMap((here, k) =>
    here.flatMap(({ choices, taken }) => [
      ...neighbours(choices),
      ...across(choices.at(-1) ?? [], firsts[k + taken] ?? []),
    ]),
  );
}

function across(before: readonly number[], after: readonly number[]): Pair[] {
  return before.flatMap((first) => after.map((second): Pair => [first, second]));
}
