import { hash } from 'node:crypto';
import type { Cassette } from '../../exchange/cassette/cassette.ts';
import type { HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { digestHalves, type Fingerprint, Fingerprints } from '../../exchange/matching/fingerprint.ts';
import {
  type CanonicalRequest,
  canonicalRequest,
  hasCredentials,
  matchKey,
  SCOPE_HEADER,
} from '../../exchange/matching/request-key.ts';
import type { RedactorOptions } from '../../exchange/redaction/redactor.ts';
import { pointerTokens } from '../../schemas/pointer.ts';
import { remoteUrl } from '../http/url-rewriter.ts';
import { normalisedBody, parseNormalising } from './normalising.ts';
import { missingRules, withRules } from './redaction.ts';

/** How requests are compared with recordings. */
export interface MatchOptions {
  /** Whether the last recording of a request answers again after all have been used; otherwise that is a miss. */
  readonly repeatLast?: boolean;
  /** JSON pointers into request bodies (`*` for any member) whose values differ in every run of the client. */
  readonly volatile?: readonly string[];
  /**
   * Parts of the texts in request bodies that are compared as equal: `date` (dates and times), `uuid`, `pattern:REGEX` in the syntax of
   * RE2, or a JSON pointer as in `volatile`.
   */
  readonly normalise?: readonly string[];
  /** The secrets and rules with which the traffic was recorded. */
  readonly redaction?: RedactorOptions;
}

export interface RecordingLocation {
  /** The open cassette that has the recording. */
  readonly cassette: Cassette;
  /** Number of the exchange in the cassette, from 0. */
  readonly k: number;
}

export type RecordingMatch =
  | { readonly kind: 'hit'; readonly location: RecordingLocation }
  /** The request was recorded, but all its recordings have been used. */
  | { readonly kind: 'exhausted'; readonly locations: readonly RecordingLocation[] }
  | { readonly kind: 'miss' };

/** All recordings. Each is taken once: first in, first out among equal requests, separately for each scope. */
export class Recordings {
  /** In the given order, in which equal recordings are taken. */
  readonly cassettes: readonly Cassette[];
  /** How requests are redacted before they are compared. */
  readonly redaction: RedactorOptions;
  /** Rules of the recordings that are not given, as a phrase; null if none is missing. */
  readonly missingRules: string | null;
  readonly #options: MatchOptions;
  /** The pointers whose values are not compared, as tokens. */
  readonly #volatile: readonly (readonly string[])[];
  readonly #normalise: ((text: string) => string) | null;
  /** Names of the header in which the recorded clients sent the version. */
  readonly #betaHeaders: readonly string[];
  /** Whether a recorder added the key; requests then match whether or not the client sends one. */
  readonly #credentials: boolean;
  readonly #queues: Queues;
  readonly #fingerprints: Fingerprints | null;
  /** Number of the first recording of each cassette among all. */
  readonly #bases: readonly number[];
  /** 1 for each recording that was taken. */
  readonly #used: Uint8Array;

  constructor(cassettes: readonly Cassette[], options: MatchOptions = {}) {
    this.cassettes = cassettes;
    this.#options = options;
    const headers = cassettes.map(({ header }) => header);
    this.redaction = withRules(headers, options.redaction);
    this.missingRules = missingRules(headers, this.redaction);
    const { pointers, normalise } = parseNormalising(options.normalise ?? []);
    this.#volatile = [...(options.volatile ?? []), ...pointers].map(tokensOf);
    this.#normalise = normalise;
    this.#betaHeaders = [...new Set(cassettes.map(({ header }) => header.betaHeader))];
    this.#credentials = cassettes.some(({ header }) => header.keyInjected === true);
    const [beta, ...others] = this.#betaHeaders;
    // A fingerprint covers one beta header, and credentials as they were recorded.
    const isFingerprinted = beta !== undefined && others.length === 0 && !this.#credentials;
    this.#fingerprints = isFingerprinted ? new Fingerprints(beta) : null;
    const bases: number[] = [];
    const scoped: ScopedRecording[] = [];
    let total = 0;
    this.#queues = new Queues(cassettes.reduce((sum, { size }) => sum + size, 0));
    for (const cassette of cassettes) {
      bases.push(total);
      for (let k = 0; k < cassette.size; k += 1)
        if (!cassette.isKilled(k)) this.#add(cassette, k, total + k, scoped);
      total += cassette.size;
    }
    // The position after all others: where a request has recordings without a scope, they answer every further scope.
    for (const { index, key, scope } of scoped) this.#queues.addScoped(index, key, scope);
    this.#bases = bases;
    this.#used = new Uint8Array(total);
  }

  /** Number of exchanges in all cassettes, including taken and incomplete ones. */
  get size(): number {
    return this.#used.length;
  }

  /** Takes the recording that is due for a request in the scope that its `x-assay-scope` header names. */
  take(request: HttpRequest): RecordingMatch {
    const scope = firstHeader(request.headers, SCOPE_HEADER);
    const known = this.#queueOfFingerprint(request);
    const queue = known === -1 ? this.#queueOf(request, scope) : known;
    if (queue === -1) return { kind: 'miss' };
    const index = this.#queues.take(queue, scope, this.#options.repeatLast ? 'repeat-last' : 'none');
    if (index === -1) {
      const all = [...this.#queues.recordings(queue)];
      return { kind: 'exhausted', locations: all.map((place) => this.#place(place)) };
    }
    this.#used[index] = 1;
    return { kind: 'hit', location: this.#place(index) };
  }

  /** The queue of a request that equals a recorded one byte for byte; -1 for any other, which needs its match key. */
  #queueOfFingerprint(request: HttpRequest): number {
    const fingerprint = remoteUrl(request.target) === null ? this.#fingerprints?.compute(request) : null;
    return fingerprint ? this.#queues.ofFingerprint(fingerprint) : -1;
  }

  /** The queue of the match key of a request, preferably in its scope; -1 for none. */
  #queueOf(request: HttpRequest, scope: string | null): number {
    for (const form of this.#forms(request)) {
      const queue = this.#queues.ofKey(matchKey(form), scope);
      if (queue !== -1) return queue;
    }
    return -1;
  }

  /**
   * The canonical form of a request, without its volatile values. If the recorder added the key, every recorded request to the
   * service had credentials, whatever the client sent; requests to other hosts never had.
   */
  canonical(request: HttpRequest): CanonicalRequest {
    const form = canonicalRequest(request, this.#betaHeaders);
    const credentials = remoteUrl(request.target) === null && (this.#credentials || form.credentials);
    const body = withoutVolatile(form.body, this.#volatile);
    return {
      ...form,
      credentials,
      body: this.#normalise === null ? body : normalisedBody(body, this.#normalise),
    };
  }

  /** The canonical forms under which a request may have been recorded: clients of another cassette may have sent keys. */
  #forms(request: HttpRequest): readonly CanonicalRequest[] {
    const form = this.canonical(request);
    const bare = this.#credentials && form.credentials && !hasCredentials(request);
    return bare ? [form, { ...form, credentials: false }] : [form];
  }

  /** The complete recordings that no request has taken, in the order of cassettes and exchanges. */
  *leftovers(): Generator<RecordingLocation> {
    for (let index = 0; index < this.#used.length; index += 1) {
      const location = this.#place(index);
      if (this.#used[index] === 0 && !location.cassette.isKilled(location.k)) yield location;
    }
  }

  /** Sixteen hex digits, equal for requests that take the same recordings. */
  keyOf(request: HttpRequest): string {
    return matchKey(this.canonical(request));
  }

  /**
   * Adds a recording to its queue, or to `scoped`. The key of the cassette covers what is not compared, so it is computed anew if
   * there is any.
   */
  #add(cassette: Cassette, k: number, index: number, scoped: ScopedRecording[]): void {
    const isStored = this.#volatile.length === 0 && this.#normalise === null;
    const fingerprint = cassette.fingerprint(k);
    // A recording with a scope has no fingerprint.
    const request = isStored && fingerprint !== null ? null : cassette.exchange(k).request;
    const scope = request === null ? null : firstHeader(request.headers, SCOPE_HEADER);
    const key = isStored || request === null ? cassette.key(k) : this.keyOf(request);
    if (scope === null) this.#queues.add(index, key, fingerprint);
    else scoped.push({ index, key, scope });
  }

  /** The cassette of a recording, and its number there, from its number among all. */
  #place(index: number): RecordingLocation {
    const c = this.#bases.findLastIndex((base) => base <= index);
    const cassette = this.cassettes[c];
    if (cassette === undefined) throw new RangeError(`recording ${index} does not exist`);
    return { cassette, k: index - (this.#bases[c] ?? 0) };
  }
}

interface ScopedRecording {
  readonly index: number;
  readonly key: string;
  readonly scope: string;
}

/** The tokens of a JSON pointer. Throws TypeError if it does not begin with a slash. */
function tokensOf(pointer: string): readonly string[] {
  if (pointer.startsWith('/')) return pointerTokens(pointer);
  throw new TypeError(`${pointer} is not a JSON pointer such as /metadata/id.`);
}

/** A canonical body with null at the given places. The fields of a form count as members of an object. */
function withoutVolatile(body: Json, pointers: readonly (readonly string[])[]): Json {
  if (pointers.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body).map(([name, value]): [string, Json] => {
    if (name === 'json') return [name, pointers.reduce(blanked, value)];
    if (name !== 'parts' || !Array.isArray(value)) return [name, value];
    const fields = new Set(pointers.filter(({ length }) => length === 1).map(([field]) => field));
    return [name, value.map((part: Json) => (fields.has(nameOf(part)) ? { name: nameOf(part) } : part))];
  });
  return Object.fromEntries(entries);
}

function nameOf(part: Json): string {
  return typeof part === 'object' && part !== null && 'name' in part ? String(part['name']) : '';
}

/** The value with null at one pointer. An array keeps its length, so that its other elements stay comparable. */
function blanked(value: Json, [token, ...rest]: readonly string[]): Json {
  if (token === undefined) return null;
  if (typeof value !== 'object' || value === null) return value;
  const change = ([name, inner]: [string, Json]): [string, Json] =>
    token === '*' || token === name ? [name, blanked(inner, rest)] : [name, inner];
  const entries = Object.entries(value).map(change);
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/**
 * Queues of recordings (numbers from 0): first in, first out among those of one match key, separately for each scope.
 * A queue is identified by the number of its first recording.
 */
export class Queues {
  readonly #byKey: NumberTable;
  readonly #byFingerprint: NumberTable;
  /**
   * For each recording, adjacent because they are read together: its queue and the next recording in it; for each queue also its
   * last recording, and the one that is due without a scope. Stored as the number plus one; 0 for none.
   */
  readonly #lines: Uint32Array;
  /** The recording that is due, by scope and queue; -1 if all have been taken. */
  readonly #scopes = new Map<string, Map<number, number>>();

  constructor(count: number) {
    // A recording of a scope may have two entries.
    this.#byKey = new NumberTable(2 * count);
    this.#byFingerprint = new NumberTable(count);
    this.#lines = new Uint32Array(WIDTH * count);
  }

  /** Appends a recording to its queue. All recordings are added before the first one is taken. */
  add(recording: number, key: string, fingerprint: Fingerprint | null): void {
    this.#append(recording, key);
    if (fingerprint !== null) this.#byFingerprint.add(recording, fingerprint);
  }

  #append(recording: number, key: string): number {
    const queue = this.#byKey.add(recording, digestHalves(key));
    const lines = this.#lines;
    lines[WIDTH * recording + QUEUE] = queue + 1;
    if (queue === recording) lines[WIDTH * queue + DUE] = recording + 1;
    else lines[WIDTH * this.#at(queue, LAST) + BEHIND] = recording + 1;
    lines[WIDTH * queue + LAST] = recording + 1;
    return queue;
  }

  /**
   * Appends a recording that a client of a scope requested, after all recordings without a scope. Other scopes get it
   * if there is no other recording.
   */
  addScoped(recording: number, key: string, scope: string): void {
    const queue = this.#append(recording, scopedKey(key, scope));
    this.#byKey.add(queue, digestHalves(key));
  }

  /** The queue of a scope, or else that of all other scopes; -1 for none. */
  ofKey(key: string, scope: string | null): number {
    const own = scope === null ? -1 : this.#byKey.find(digestHalves(scopedKey(key, scope)));
    return own === -1 ? this.#byKey.find(digestHalves(key)) : own;
  }

  /** The queue of a recording that has this fingerprint, or -1. */
  ofFingerprint(fingerprint: Fingerprint): number {
    const recording = this.#byFingerprint.find(fingerprint);
    return recording === -1 ? -1 : this.#at(recording, QUEUE);
  }

  /** Takes the recording that is due; after all have been taken, -1 or (with `repeat-last`) the last one again. */
  take(queue: number, scope: string | null, whenExhausted: 'none' | 'repeat-last'): number {
    const due = this.#due(queue, scope);
    if (due === -1) return whenExhausted === 'repeat-last' ? this.#at(queue, LAST) : -1;
    const behind = this.#at(due, BEHIND);
    if (scope === null) this.#lines[WIDTH * queue + DUE] = behind + 1;
    else this.#dueIn(scope).set(queue, behind);
    return due;
  }

  /** All recordings of a queue in order, taken ones included. */
  *recordings(queue: number): Generator<number> {
    for (let at = queue; at !== -1; at = this.#at(at, BEHIND)) yield at;
  }

  /** The next recording of a queue; each scope begins at the first. */
  #due(queue: number, scope: string | null): number {
    if (scope === null) return this.#at(queue, DUE);
    return this.#scopes.get(scope)?.get(queue) ?? queue;
  }

  /** One of the numbers of a recording, by its offset (`QUEUE`, …); -1 for none. */
  #at(recording: number, which: number): number {
    return (this.#lines[WIDTH * recording + which] ?? 0) - 1;
  }

  /** The positions of a scope, which begins with its first request. */
  #dueIn(scope: string): Map<number, number> {
    const known = this.#scopes.get(scope);
    if (known !== undefined) return known;
    const positions = new Map<number, number>();
    this.#scopes.set(scope, positions);
    return positions;
  }
}

/** Sixteen hex digits, as a match key. */
function scopedKey(key: string, scope: string): string {
  return hash('sha256', `${key} ${scope}`).slice(0, 16);
}

/** Offsets of the numbers of a recording in its group of `WIDTH` elements. */
const QUEUE = 0;
const BEHIND = 1;
const LAST = 2;
const DUE = 3;
const WIDTH = 4;

/**
 * A hash table from 64-bit keys to non-negative numbers, with open addressing in one typed array: a few bytes for each entry, and no
 * object that the garbage collector has to visit.
 */
export class NumberTable {
  /** Per slot: the number plus one (0 for an empty slot), then the two halves of its key. */
  readonly #slots: Uint32Array;
  readonly #mask: number;

  /** `count`: the largest number of entries that will be added. */
  constructor(count: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * count + 2));
    this.#slots = new Uint32Array(SLOT_WIDTH * size);
    this.#mask = size - 1;
  }

  /** Adds a number unless its key has one; returns the number of the key. */
  add(number: number, [high, low]: Bits): number {
    const at = this.#at(high, low);
    const known = (this.#slots[at] ?? 0) - 1;
    if (known !== -1) return known;
    this.#slots[at] = number + 1;
    this.#slots[at + 1] = high;
    this.#slots[at + 2] = low;
    return number;
  }

  /** The number of a key; -1 if it has none. */
  find([high, low]: Bits): number {
    return (this.#slots[this.#at(high, low)] ?? 0) - 1;
  }

  /** Index of the slot of a key, or of the empty slot for it. */
  #at(high: number, low: number): number {
    const slots = this.#slots;
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = SLOT_WIDTH * slot;
      if (slots[at] === 0 || (slots[at + 1] === high && slots[at + 2] === low)) return at;
    }
  }
}

type Bits = readonly [high: number, low: number];

const SLOT_WIDTH = 3;
