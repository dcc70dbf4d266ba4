import type { Pattern } from '../patterns/pattern.ts';

/** A match, or the place where one may begin (`pattern` is null then). */
export interface Found {
  /** Where the pair stands, and where the match begins. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly pattern: Pick<Pattern, 'replace'> | null;
}

/** Result of a search without a match. */
export const NOTHING_FOUND: Found = { at: -1, start: -1, end: -1, pattern: null };
