import type { Pattern, Tail } from '../patterns/pattern.ts';

/** A match, or the place where one may begin (`pattern` is null then). */
export interface Found {
  /** Where the pair stands, and where the match begins. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly pattern: Pick<Pattern, 'replace' | 'rest'> | null;
}

/** Result of a search without a match. */
export const NOTHING_FOUND: Found = { at: -1, start: -1, end: -1, pattern: null };

/** A place from which on further bytes decide. */
export function perhapsAt(start: number): Found {
  return { at: start, start, end: start, pattern: null };
}

/** A search for secrets that are known by their place, in bytes in which other secrets are replaced meanwhile. */
export interface PlacedSearch {
  /** The next one in these bytes, which were changed up to an offset. Called anew only once the last one lies before it. */
  next(bytes: Uint8Array, from: number): Found;
}

/** Begins a search in bytes; null where there is nothing to find. */
export type OpenSearch = (bytes: Uint8Array, tail: Tail) => PlacedSearch | null;
