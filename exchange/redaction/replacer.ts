import { type Bigram, type LongValue, NO_MATCH, PARTIAL_MATCH, type Pattern, type Tail } from './pattern.ts';

const EMPTY = new Uint8Array(0);
const NONE: readonly PlacedSearch[] = [];
/** A pattern can hold a pair of bytes; a pattern can begin with it. */
const HELD = 1;
const BEGINS = 2;

/** Bytes in, as many bytes out, some of them later. */
export interface ByteFilter {
  /** Takes bytes in and returns those that are certain by now. */
  push(piece: Uint8Array): Uint8Array;
  /** Returns the rest. The filter cannot be used after that. */
  finish(): Uint8Array;
}

/** Replaces patterns in bytes, whole or in pieces, without changing their number. */
export class Replacer {
  /** Those that can begin with a byte, and with a pair of bytes. */
  readonly #byFirst: Pattern[][] = Array.from({ length: 256 }, () => []);
  /** Patterns by the pair of bytes that they can begin with. */
  readonly #byPair = new Map<number, Pattern[]>();
  /** Whether a pattern can begin with a pair of bytes, and whether one can hold it, by `first * 256 + second`. */
  readonly #pairs = new Uint8Array(65_536);
  /** Fewest bytes of a match, from its first pair on. */
  #shortest = 65_536;
  /** 1 for each byte that a pattern can reach back to. */
  readonly #leads = new Uint8Array(256);
  readonly #places: readonly OpenSearch[];
  /** Number of patterns. */
  #count = 0;

  /** `places`: searches for secrets that are known by their place. */
  constructor(places: readonly OpenSearch[] = []) {
    this.#places = places;
  }

  /** Adds a pattern; bytes that passed before are not searched for it. */
  add(pattern: Pattern): void {
    for (const first of new Set(pattern.begins.map((pair) => pair >> 8)))
      insert(this.#byFirst[first], pattern);
    for (const pair of pattern.begins) {
      const patterns = this.#byPair.get(pair) ?? [];
      this.#byPair.set(pair, patterns);
      insert(patterns, pattern);
    }
    for (const pair of pattern.within) this.#mark(pair, HELD);
    for (const pair of pattern.begins) this.#mark(pair, HELD | BEGINS);
    this.#shortest = Math.max(2, Math.min(this.#shortest, pattern.shortest));
    for (let byte = 0; pattern.lead > 0 && byte < 256; byte += 1)
      if (pattern.leads(byte)) this.#leads[byte] = 1;
    this.#count += 1;
  }

  /** Sets a flag of a pair of bytes. */
  #mark(pair: Bigram, what: number): void {
    this.#pairs[pair] = (this.#pairs[pair] ?? 0) | what;
  }

  /** Where a pattern begins, or -1. */
  find(bytes: Uint8Array): number {
    return this.#next(bytes, 0, 'final').start;
  }

  /** The same bytes with all matches replaced; the very same array when nothing matches. */
  replace(bytes: Uint8Array): Uint8Array {
    return this.isEmpty ? bytes : this.settle(bytes, 'final').bytes;
  }

  /** For bytes that come in pieces: holds back only a tail that may be the beginning of a match. */
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

  /** Whether there is nothing to search for. */
  get isEmpty(): boolean {
    return this.#count === 0 && this.#places.length === 0;
  }

  /**
   * Replaces all complete matches. Never changes its input. `long`: a value that goes on from the bytes before.
   */
  settle(input: Uint8Array, tail: Tail, long: LongValue | null = null): Settled {
    if (input.length === 0) return { bytes: input, until: 0, rest: long };
    const begun = long === null ? null : goOn(new Uint8Array(input), { from: 0, tail, long });
    if (begun !== null && begun.rest !== null) return begun;
    const searches = this.#searches(input, tail);
    let { bytes, until: from } = begun ?? { bytes: input, until: 0 };
    let known = this.#next(bytes, from, tail);
    let placed = searches.map((search) => search.next(bytes, from));
    for (let count = this.#count; ; ) {
      let found = known;
      for (const one of placed) found = earlier(found, one);
      const { at, start, end, pattern } = found;
      if (at === -1) return { bytes, until: bytes.length, rest: null };
      if (pattern === null) return { bytes, until: start, rest: null };
      if (bytes === input) bytes = new Uint8Array(input);
      const rest = pattern.rest?.(bytes, at) ?? null;
      pattern.replace(bytes, at);
      const gone = rest === null ? null : goOn(bytes, { from: end, tail, long: rest });
      if (gone !== null && gone.rest !== null) return gone;
      from = gone?.until ?? end;
      // What stood in a place may be a known secret from now on.
      if (this.#count !== count || isBefore(known, from)) known = this.#next(bytes, from, tail);
      placed = placed.map((one, i) => (isBefore(one, from) ? (searches[i]?.next(bytes, from) ?? one) : one));
      count = this.#count;
    }
  }

  /** The searches that may find something in these bytes. */
  #searches(bytes: Uint8Array, tail: Tail): readonly PlacedSearch[] {
    let searches = NONE;
    for (const open of this.#places) {
      const search = open(bytes, tail);
      if (search !== null) searches = [...searches, search];
    }
    return searches;
  }

  /** The next match, or (unless these bytes are the last) the next place where one may be beginning. */
  #next(bytes: Uint8Array, from: number, tail: Tail): Found {
    if (this.#count === 0) return NOTHING_FOUND;
    const pairs = this.#pairs;
    const end = bytes.length - 1;
    // A match can hold every pair between the current place and this offset.
    let known = from;
    for (let at = from; at < end; ) {
      const until = at + this.#shortest - 1;
      if (until <= end) {
        // Backwards, because no match begins up to a pair that none can hold.
        let pair = until - 1;
        while (pair >= known && pairs[((bytes[pair] ?? 0) << 8) | (bytes[pair + 1] ?? 0)] !== 0) pair -= 1;
        const isHeld = pair < known;
        known = until;
        if (!isHeld) {
          at = pair + 1;
          continue;
        }
      }
      const first = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      const begins = ((pairs[first] ?? 0) & BEGINS) !== 0;
      const found = begins ? tryAll(this.#byPair.get(first), { bytes, at, from, tail }) : null;
      if (found !== null) return found;
      at += 1;
    }
    if (tail === 'final' || end < from) return NOTHING_FOUND;
    const found = tryAll(this.#byFirst[bytes[end] ?? 0], { bytes, at: end, from, tail });
    if (found !== null) return found;
    return this.#leads[bytes[end] ?? 0] === 1 ? { at: end, start: end, end, pattern: null } : NOTHING_FOUND;
  }
}

/** Bytes with all complete matches replaced. */
interface Settled {
  readonly bytes: Uint8Array;
  /** Offset of the tail that may be the beginning of a match, or the end of a value that goes on. */
  readonly until: number;
  /** The value that goes on after these bytes. */
  readonly rest: LongValue | null;
}

/** Masks the rest of a value in bytes that may be changed. */
function goOn(
  bytes: Uint8Array,
  { from, tail, long }: { from: number; tail: Tail; long: LongValue },
): Settled {
  const { until, isOver } = long.mask(bytes, from, tail);
  return { bytes, until, rest: isOver ? null : long };
}

/** Offset where a match is tried, and the bytes around it. */
interface Place {
  readonly bytes: Uint8Array;
  /** Offset of the first pair of the pattern. */
  readonly at: number;
  /** No match begins before it. */
  readonly from: number;
  readonly tail: Tail;
}

/** The first of these patterns that matches at a place, or that may be beginning there. */
function tryAll(patterns: readonly Pattern[] = [], { bytes, at, from, tail }: Place): Found | null {
  let perhaps: Found | null = null;
  for (const pattern of patterns) {
    const start = at - pattern.lead;
    if (start < from) continue;
    const end = pattern.match(bytes, at, tail);
    if (end === NO_MATCH) continue;
    if (end !== PARTIAL_MATCH && perhaps === null) return { at, start, end, pattern };
    // Held is what any of them reaches back to.
    if (perhaps === null || start < perhaps.start) perhaps = { at, start, end: start, pattern: null };
  }
  return perhaps;
}

/** Adds a pattern where its length and precedence put it. */
function insert(patterns: Pattern[] = [], pattern: Pattern): void {
  const after = patterns.findIndex((other) => comesBefore(pattern, other) < 0);
  patterns.splice(after === -1 ? patterns.length : after, 0, pattern);
}

/** Longer patterns come first; of one length, the exact ones. */
export function comesBefore(a: Pattern, b: Pattern): number {
  return b.length - a.length || a.precedence - b.precedence;
}

/** The one that begins first; of two that begin alike the first, so that known secrets keep their aliases. */
function earlier(first: Found, second: Found): Found {
  if (second.at === -1) return first;
  return first.at === -1 || second.start < first.start ? second : first;
}

/** Whether a search has to go on: what it found lies before an offset. */
function isBefore({ at, start }: Found, from: number): boolean {
  return at !== -1 && start < from;
}

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

/** Filters one after the other. */
export function chainFilters(...filters: readonly ByteFilter[]): ByteFilter {
  return {
    push: (piece) => filters.reduce((bytes, filter) => filter.push(bytes), piece),
    finish: () =>
      filters.reduce<Uint8Array>((rest, filter) => {
        const pushed = filter.push(rest);
        return Buffer.concat([pushed, filter.finish()]);
      }, new Uint8Array(0)),
  };
}
