import type { Cassette } from '../../exchange/cassette/cassette.ts';
import type { HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { firstHeader, hasHeader } from '../../exchange/http/headers.ts';
import { type Fingerprint, Fingerprints } from '../../exchange/matching/fingerprint.ts';
import {
  type CanonicalRequest,
  canonicalRequest,
  hasCredentials,
  matchKey,
  SCOPE_HEADER,
} from '../../exchange/matching/request-key.ts';
import type { RedactorOptions } from '../../exchange/redaction/redactor.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { parseUserPointer } from '../../schemas/pointer.ts';
import { remoteUrl } from '../http/url-rewriter.ts';
import { normaliseTexts, parseNormalising } from './normalising.ts';
import { describeMissingRules, withRules } from './redaction.ts';

export interface MatchOptions {
  /** Whether the last recording of a request is taken again after all have been; otherwise the match is `exhausted`. */
  readonly repeatLast?: boolean;
  /** JSON pointers into request bodies (`*` for any member) whose values differ in every run of the client. */
  readonly volatile?: readonly string[];
  /**
   * Parts of the texts in request bodies that are compared as equal: `date` (dates and times), `uuid`, `pattern:REGEX`
   * in the syntax of RE2, or a JSON pointer as in `volatile`.
   */
  readonly normalise?: readonly string[];
  /** The secrets and rules with which the traffic was recorded. */
  readonly redaction?: RedactorOptions;
}

export interface RecordingLocation {
  readonly cassette: Cassette;
  /** Number of the exchange in the cassette, from 0. */
  readonly k: number;
}

export type RecordingMatch =
  | { readonly kind: 'hit'; readonly location: RecordingLocation }
  | { readonly kind: 'exhausted'; readonly locations: readonly RecordingLocation[] }
  | { readonly kind: 'miss' };

/** Recordings of equal requests in the order in which they are taken, identified by the number of the first. */
type Queue = number;
const NO_RECORDING = -1;

/** Each recording is taken at most once per scope, except by `repeatLast`. */
export class Recordings {
  /** The cassettes, in the order in which equal recordings are taken. */
  readonly cassettes: readonly Cassette[];
  /** How requests are redacted before they are compared. */
  readonly redaction: RedactorOptions;
  /** Rules with which the traffic was recorded but that are not given now, as a phrase; null if none is missing. */
  readonly missingRules: string | null;
  readonly #options: MatchOptions;
  readonly #volatile: readonly (readonly string[])[];
  readonly #normalise: ((text: string) => string) | null;
  readonly #comparesAll: boolean;
  readonly #betaHeaders: readonly string[];
  /** Whether stored keys can be compared: those of a cassette cover only its own and the well-known beta headers. */
  readonly #usesStoredKeys: boolean;
  /** Whether a recorder added the key to the requests of any cassette. */
  readonly #isKeyInjected: boolean;
  /** Queues by match key; for recordings with a scope, the key is preceded by the name of the scope. */
  readonly #byKey = new Map<string, Queue>();
  readonly #byFingerprint = new Map<number, Queue>();
  readonly #fingerprints: Fingerprints | null;
  /** For each recording, the next one in its queue; 0 for none, because recording 0 never follows another. */
  readonly #next: Uint32Array;
  readonly #last: Uint32Array;
  readonly #due = new Map<string | null, Map<Queue, number>>();
  readonly #bases: readonly number[];
  readonly #used: Uint8Array;

  constructor(cassettes: readonly Cassette[], options: MatchOptions = {}) {
    this.cassettes = cassettes;
    this.#options = options;
    const headers = cassettes.map(({ header }) => header);
    this.redaction = withRules(headers, options.redaction);
    this.missingRules = describeMissingRules(headers, this.redaction);
    const { pointers, normalise } = parseNormalising(options.normalise ?? []);
    this.#volatile = [...(options.volatile ?? []), ...pointers].map(parseUserPointer);
    this.#normalise = normalise;
    this.#comparesAll = this.#volatile.length === 0 && normalise === null;
    this.#betaHeaders = [...new Set(cassettes.map(({ header }) => header.betaHeader))];
    this.#isKeyInjected = cassettes.some(hasInjectedKey);
    const [beta, ...others] = this.#betaHeaders;
    this.#usesStoredKeys = this.#comparesAll && others.length === 0;
    // A fingerprint covers one beta header besides the well-known ones, and credentials as they were recorded.
    const isFingerprinted = beta !== undefined && others.length === 0 && !this.#isKeyInjected;
    this.#fingerprints = isFingerprinted ? new Fingerprints(beta) : null;
    const bases: number[] = [];
    const scoped: ScopedRecording[] = [];
    const size = cassettes.reduce((sum, cassette) => sum + cassette.size, 0);
    this.#next = new Uint32Array(size);
    this.#last = new Uint32Array(size);
    this.#used = new Uint8Array(size);
    let total = 0;
    for (const cassette of cassettes) {
      bases.push(total);
      for (let k = 0; k < cassette.size; k += 1)
        if (!cassette.isKilled(k)) this.#add(cassette, k, total + k, scoped);
      total += cassette.size;
    }
    // Scoped recordings come last: other scopes get recordings without a scope, else those of the first scope.
    for (const { index, key, scope } of scoped) {
      const queue = this.#append(index, `${scope} ${key}`);
      getOrMake(this.#byKey, key, () => queue);
    }
    this.#bases = bases;
  }

  /** Number of exchanges in all cassettes, including taken and cut-off ones. */
  get size(): number {
    return this.#used.length;
  }

  /**
   * Takes the recording that is due for a request in the scope that its `x-assay-scope` header names. Returns a miss,
   * and takes none, if `fits` rejects that recording.
   */
  take(request: HttpRequest, fits: (location: RecordingLocation) => boolean = () => true): RecordingMatch {
    const scope = firstHeader(request.headers, SCOPE_HEADER);
    const queue = this.#queueOfFingerprint(request) ?? this.#queueOfKey(request, scope);
    if (queue === undefined) return { kind: 'miss' };
    const dueByQueue = getOrMake(this.#due, scope, () => new Map<Queue, number>());
    const due = dueByQueue.get(queue) ?? queue;
    const index =
      due === NO_RECORDING && this.#options.repeatLast ? (this.#last[queue] ?? NO_RECORDING) : due;
    if (index === NO_RECORDING) return { kind: 'exhausted', locations: this.#locations(queue) };
    const location = this.#locationOf(index);
    if (!fits(location)) return { kind: 'miss' };
    dueByQueue.set(queue, this.#nextOf(index));
    this.#used[index] = 1;
    return { kind: 'hit', location };
  }

  /**
   * Takes the recording of a response to a head alone: the service did not ask for the body with `100 Continue`.
   * Returns a miss if a body of the announced length was recorded for the same target: only a body tells which is due.
   */
  takeEarly(head: HttpRequest): RecordingMatch {
    const length = firstHeader(head.headers, 'content-length');
    return this.take(head, ({ cassette, k }) => {
      const { request, response } = cassette.exchange(k);
      const isEarly = response !== null && hasHeader(request.headers, 'expect');
      return (
        isEarly && firstHeader(request.headers, 'content-length') === length && !this.#hasBody(head, length)
      );
    });
  }

  #hasBody({ method, target }: HttpRequest, length: string | null): boolean {
    for (const cassette of this.cassettes)
      for (let k = 0; k < cassette.size; k += 1) {
        const line = cassette.request(k);
        if (line.method !== method || line.target !== target || cassette.isKilled(k)) continue;
        const { headers, body } = cassette.exchange(k).request;
        if (body.size > 0 && firstHeader(headers, 'content-length') === length) return true;
      }
    return false;
  }

  #queueOfFingerprint(request: HttpRequest): Queue | undefined {
    const fingerprint = remoteUrl(request.target) === null ? this.#fingerprints?.compute(request) : null;
    return fingerprint ? this.#byFingerprint.get(firstBits(fingerprint)) : undefined;
  }

  #queueOfKey(request: HttpRequest, scope: string | null): Queue | undefined {
    for (const form of this.#forms(request)) {
      const key = matchKey(form);
      const scopedQueue = scope === null ? undefined : this.#byKey.get(`${scope} ${key}`);
      const queue = scopedQueue ?? this.#byKey.get(key);
      if (queue !== undefined) return queue;
    }
    return undefined;
  }

  /**
   * The canonical form of a request, without volatile values, and with texts normalised; `cassette` for a recorded one.
   * If the recorder added the key, every recorded request to the service had credentials, whatever the client sent.
   * Credentials in requests to other hosts are not compared.
   */
  canonical(request: HttpRequest, cassette?: Cassette): CanonicalRequest {
    const form = canonicalRequest(request, this.#betaHeaders);
    const isKeyInjected = cassette === undefined ? this.#isKeyInjected : hasInjectedKey(cassette);
    const credentials = remoteUrl(request.target) === null && (isKeyInjected || form.credentials);
    return { ...form, credentials, body: this.#comparesAll ? form.body : this.#bodyToCompare(form.body) };
  }

  #bodyToCompare(body: Json): Json {
    if (!isJsonObject(body)) return body;
    const { json, parts } = body;
    const normaliseAll = (value: Json) =>
      this.#normalise === null ? value : normaliseTexts(value, this.#normalise);
    if (json !== undefined) return { json: normaliseAll(this.#volatile.reduce(withNullAt, json)) };
    if (!Array.isArray(parts)) return body;
    // The fields of a form count as members of an object.
    const volatile = this.#volatile.flatMap(([field = '', ...rest]) => (rest.length === 0 ? [field] : []));
    const compared = parts.filter(isJsonObject).map((part) => {
      const name = String(part['name']);
      if (volatile.includes(name) || volatile.includes('*')) return { name };
      return typeof part['value'] === 'string' ? { ...part, value: normaliseAll(part['value']) } : part;
    });
    return { parts: compared };
  }

  /** The canonical forms to look up: also one without a key, because clients of another cassette may have sent none. */
  #forms(request: HttpRequest): readonly CanonicalRequest[] {
    const form = this.canonical(request);
    const mayLackKey = this.#isKeyInjected && form.credentials && !hasCredentials(request);
    return mayLackKey ? [form, { ...form, credentials: false }] : [form];
  }

  /** The recordings that no request has taken, except cut-off ones, in the order of cassettes and exchanges. */
  *leftovers(): Generator<RecordingLocation> {
    for (let index = 0; index < this.#used.length; index += 1) {
      const location = this.#locationOf(index);
      if (this.#used[index] === 0 && !location.cassette.isKilled(location.k)) yield location;
    }
  }

  /** Sixteen hex digits, equal for requests with equal canonical forms. */
  keyOf(request: HttpRequest): string {
    return matchKey(this.canonical(request));
  }

  #add(cassette: Cassette, k: number, index: number, scoped: ScopedRecording[]): void {
    const fingerprint = cassette.fingerprint(k);
    // A recording with a scope has no fingerprint.
    const request = this.#usesStoredKeys && fingerprint !== null ? null : cassette.exchange(k).request;
    const scope = request === null ? null : firstHeader(request.headers, SCOPE_HEADER);
    const key =
      this.#usesStoredKeys || request === null
        ? cassette.key(k)
        : matchKey(this.canonical(request, cassette));
    if (scope !== null) scoped.push({ index, key, scope });
    else {
      const queue = this.#append(index, key);
      if (fingerprint !== null) getOrMake(this.#byFingerprint, firstBits(fingerprint), () => queue);
    }
  }

  #append(index: number, key: string): Queue {
    const queue = getOrMake(this.#byKey, key, () => index);
    if (queue !== index) this.#next[this.#last[queue] ?? 0] = index;
    this.#last[queue] = index;
    return queue;
  }

  #nextOf(index: number): number {
    return this.#next[index] || NO_RECORDING;
  }

  #locations(queue: Queue): RecordingLocation[] {
    const locations: RecordingLocation[] = [];
    for (let index = queue; index !== NO_RECORDING; index = this.#nextOf(index))
      locations.push(this.#locationOf(index));
    return locations;
  }

  #locationOf(index: number): RecordingLocation {
    const cassetteIndex = this.#bases.findLastIndex((base) => base <= index);
    const cassette = this.cassettes[cassetteIndex];
    if (cassette === undefined) throw new RangeError(`recording ${index} does not exist`);
    return { cassette, k: index - (this.#bases[cassetteIndex] ?? 0) };
  }
}

function hasInjectedKey({ header }: Cassette): boolean {
  return header.keyInjected === true;
}

/** The first 53 bits of a fingerprint as one number, which is a faster map key than a string. */
function firstBits([high, low]: Fingerprint): number {
  return high * 2 ** 21 + (low >>> 11);
}

interface ScopedRecording {
  readonly index: number;
  readonly key: string;
  readonly scope: string;
}

/** The value with null at one pointer: removing elements would shift the indices of an array. */
function withNullAt(value: Json, [token, ...rest]: readonly string[]): Json {
  if (token === undefined) return null;
  if (typeof value !== 'object' || value === null) return value;
  const change = ([name, inner]: [string, Json]): [string, Json] =>
    token === '*' || token === name ? [name, withNullAt(inner, rest)] : [name, inner];
  const entries = Object.entries(value).map(change);
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
