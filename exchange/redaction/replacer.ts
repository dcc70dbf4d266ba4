import { getOrMake } from '../../schemas/maps.ts';
import type { ByteFilter } from './byte-filter.ts';
import { type Bigram, NO_MATCH, PARTIAL_MATCH, type Pattern, type Tail } from './pattern.ts';

const EMPTY = new Uint8Array(0);
const NONE: readonly PlacedSearch[] = [];
export const NOTHING_FOUND: SecretMatch = { at: -1, start: -1, end: -1, pattern: null };
/** Flags of a pair of bytes: a match may contain it; a match may begin with it. */
const CONTAINED = 1;
const BEGINS = 2;

export class Replacer {
  readonly #byFirst: Pattern[][] = Array.from({ length: 256 }, () => []);
  readonly #byPair = new Map<number, Pattern[]>();
  /** Flags of each pair of bytes, by `first * 256 + second`. */
  readonly #pairs = new Uint8Array(65_536);
  #shortest = 65_536;
  /** 1 for each byte that can precede a match and is then also replaced. */
  readonly #leads = new Uint8Array(256);
  readonly #places: readonly OpenSearch[];
  #count = 0;

  constructor(places: readonly OpenSearch[] = []) {
    this.#places = places;
  }

  /** Adds a pattern; bytes that passed earlier are not searched for it. */
  add(pattern: Pattern): void {
    for (const first of new Set(pattern.begins.map((pair) => pair >> 8)))
      insert(this.#byFirst[first], pattern);
    for (const pair of pattern.begins) {
      const patterns = getOrMake(this.#byPair, pair, () => []);
      insert(patterns, pattern);
      this.#mark(pair, CONTAINED | BEGINS);
    }
    for (const pair of pattern.within) this.#mark(pair, CONTAINED);
    this.#shortest = Math.max(2, Math.min(this.#shortest, pattern.shortest));
    for (let byte = 0; pattern.lead > 0 && byte < 256; byte += 1)
      if (pattern.leads(byte)) this.#leads[byte] = 1;
    this.#count += 1;
  }

  #mark(pair: Bigram, flags: number): void {
    this.#pairs[pair] = (this.#pairs[pair] ?? 0) | flags;
  }

  /** Offset of the first match in complete bytes, or -1. Does not search `places`. */
  find(bytes: Uint8Array): number {
    return this.#next(bytes, 0, 'final').start;
  }

  /** Replaces all matches in complete bytes, in a copy; returns the input if there are none. */
  replace(bytes: Uint8Array): Uint8Array {
    return this.isEmpty ? bytes : this.settle(bytes, 'final').bytes;
  }

  /** A filter that holds back only a tail that may begin a match. */
  stream(): ByteFilter {
    let held: Uint8Array = EMPTY;
    let long: LongValue | null = null;
    return {
      push: (piece) => {
        if (this.isEmpty) return piece;
        const joined = held.length === 0 ? piece : Buffer.concat([held, piece]);
        const { bytes, until, rest } = this.settle(joined, 'open', long);
        long = rest;
        held = until === bytes.length ? EMPTY : new Uint8Array(bytes.subarray(until));
        return bytes.subarray(0, until);
      },
      finish: () => {
        const { bytes } = this.settle(held, 'final', long);
        held = EMPTY;
        return bytes;
      },
    };
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.#places.length === 0;
  }

  /** Replaces all complete matches, without changing its input. `long`: a value that continues from earlier bytes. */
  settle(input: Uint8Array, tail: Tail, long: LongValue | null = null): Settled {
    if (input.length === 0) return { bytes: input, until: 0, rest: long };
    const continued = long === null ? null : continueMasking(new Uint8Array(input), { from: 0, tail, long });
    if (continued !== null && continued.rest !== null) return continued;
    let searches = NONE;
    for (const open of this.#places) {
      const search = open(input, tail);
      if (search !== null) searches = [...searches, search];
    }
    let { bytes, until: from } = continued ?? { bytes: input, until: 0 };
    let patternMatch = NOTHING_FOUND;
    let placeMatches = searches.map((search) => search.next(bytes, from));
    for (let count = this.#count; ; ) {
      let placeMatch = NOTHING_FOUND;
      for (const match of placeMatches) placeMatch = earlierMatch(placeMatch, match);
      // The value of a field may have become a known secret.
      if (this.#count !== count || patternMatch.at === -1 || isBefore(patternMatch, from))
        patternMatch = this.#next(bytes, from, tail, placeMatch.at === -1 ? bytes.length : placeMatch.start);
      count = this.#count;
      const { at, start, end, pattern } = earlierMatch(patternMatch, placeMatch);
      if (at === -1) return { bytes, until: bytes.length, rest: null };
      if (pattern === null) return { bytes, until: start, rest: null };
      if (bytes === input) bytes = new Uint8Array(input);
      const rest = pattern.rest?.(bytes) ?? null;
      pattern.replace(bytes, at);
      const masked = rest === null ? null : continueMasking(bytes, { from: end, tail, long: rest });
      if (masked !== null && masked.rest !== null) return masked;
      from = masked?.until ?? end;
      placeMatches = placeMatches.map((match, i) =>
        isBefore(match, from) ? (searches[i]?.next(bytes, from) ?? match) : match,
      );
    }
  }

  /**
   * The first match at `from` or later; one after `limit` may be missed. Searching beyond a match that was found by its
   * place would take time in proportion to the square of the number of fields.
   */
  #next(bytes: Uint8Array, from: number, tail: Tail, limit = bytes.length): SecretMatch {
    if (this.#count === 0) return NOTHING_FOUND;
    const pairs = this.#pairs;
    const last = bytes.length - 1;
    // A match with a lead starts one byte before its first pair.
    const end = Math.min(last, limit + 2);
    // Every pair from the current place to this offset can be part of a match.
    let knownEnd = from;
    for (let at = from; at < end; ) {
      const until = at + this.#shortest - 1;
      if (until <= last) {
        // Searches backwards, because a match cannot span a pair that no pattern contains.
        let pair = until - 1;
        while (pair >= knownEnd && pairs[((bytes[pair] ?? 0) << 8) | (bytes[pair + 1] ?? 0)] !== 0) pair -= 1;
        const mayMatch = pair < knownEnd;
        knownEnd = until;
        if (!mayMatch) {
          at = pair + 1;
          continue;
        }
      }
      const first = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      const mayBegin = ((pairs[first] ?? 0) & BEGINS) !== 0;
      const found = mayBegin ? tryAll(this.#byPair.get(first), { bytes, at, from, tail }) : null;
      if (found !== null) return found;
      at += 1;
    }
    if (tail === 'final' || end < last || last < from) return NOTHING_FOUND;
    const found = tryAll(this.#byFirst[bytes[last] ?? 0], { bytes, at: last, from, tail });
    if (found !== null) return found;
    return this.#leads[bytes[last] ?? 0] === 1 ? undecidedAt(last) : NOTHING_FOUND;
  }
}

interface Settled {
  readonly bytes: Uint8Array;
  /** Offset of the first byte that more bytes may still change; the length if there is none. */
  readonly until: number;
  /** The value that continues after the bytes; null if none does. */
  readonly rest: LongValue | null;
}

function continueMasking(
  bytes: Uint8Array,
  { from, tail, long }: { from: number; tail: Tail; long: LongValue },
): Settled {
  const { until, isOver } = long.mask(bytes, from, tail);
  return { bytes, until, rest: isOver ? null : long };
}

function tryAll(
  patterns: readonly Pattern[] = [],
  { bytes, at, from, tail }: { bytes: Uint8Array; at: number; from: number; tail: Tail },
): SecretMatch | null {
  let undecided: SecretMatch | null = null;
  for (const pattern of patterns) {
    const start = at - pattern.lead;
    if (start < from) continue;
    const end = pattern.match(bytes, at, tail);
    if (end === NO_MATCH) continue;
    if (end !== PARTIAL_MATCH && undecided === null) return { at, start, end, pattern };
    // Bytes are held back from the earliest one that any of the patterns may replace.
    if (undecided === null || start < undecided.start) undecided = undecidedAt(start);
  }
  return undecided;
}

function insert(patterns: Pattern[] = [], pattern: Pattern): void {
  const after = patterns.findIndex((other) => comparePatterns(pattern, other) < 0);
  patterns.splice(after === -1 ? patterns.length : after, 0, pattern);
}

export function comparePatterns(a: Pattern, b: Pattern): number {
  return b.length - a.length || a.precedence - b.precedence;
}

/** The match that starts first. On a tie, known secrets win, so that they keep their aliases. */
function earlierMatch(first: SecretMatch, second: SecretMatch): SecretMatch {
  if (second.at === -1) return first;
  return first.at === -1 || second.start < first.start ? second : first;
}

function isBefore({ at, start }: SecretMatch, from: number): boolean {
  return at !== -1 && start < from;
}

/** A match, or a place where one may begin (`pattern` is null). */
export interface SecretMatch {
  /** Offset for `replace` of its pattern; -1 if nothing was found. */
  readonly at: number;
  /** Offset of its first byte: one before `at` if its pattern has a lead. */
  readonly start: number;
  /** Offset after its last byte; equals `start` if more bytes are needed to decide. */
  readonly end: number;
  /** Null if more bytes are needed to decide, or if nothing was found. */
  readonly pattern: FoundPattern | null;
}

interface FoundPattern {
  replace(bytes: Uint8Array, at: number): void;
  /** Returns what masks the value beyond the end of the match; null if it ends there. Called before `replace`. */
  rest?(bytes: Uint8Array): LongValue | null;
}

export function undecidedAt(start: number): SecretMatch {
  return { at: start, start, end: start, pattern: null };
}

/** A value that is too long to hold back: the rest is masked as it arrives, in order. */
export interface LongValue {
  /** Masks the value from an offset on. `until`: the end of the value if it is over, else the first undecided byte. */
  mask(bytes: Uint8Array, from: number, tail: Tail): { readonly until: number; readonly isOver: boolean };
}

/** Searches for secrets that are known by their place, in bytes that change as other secrets are replaced. */
export interface PlacedSearch {
  /** The first match at `from` or later. Secrets before `from` have been replaced already. */
  next(bytes: Uint8Array, from: number): SecretMatch;
}

export type OpenSearch = (bytes: Uint8Array, tail: Tail) => PlacedSearch | null;
