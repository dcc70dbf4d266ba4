import { numberOf } from '../../partial/earliest.ts';
import type { RequestRow } from './candidates.ts';

/** How many requests were refused, of how many. */
export interface Share {
  readonly refused: number;
  readonly total: number;
}

/** How many of the requests of these rows were refused. */
export function shareOf(rows: readonly RequestRow[]): Share {
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  return { refused, total: rows.reduce((sum, row) => sum + row.accepted, refused) };
}

/** The refused exchanges of these rows that are known, by their numbers. */
export function exchangesOf(rows: readonly RequestRow[]): readonly string[] {
  return rows.flatMap(({ exchanges }) => exchanges).toSorted((a, b) => numberOf(a) - numberOf(b));
}
