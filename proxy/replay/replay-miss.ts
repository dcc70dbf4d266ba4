import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { CanonicalRequest } from '../../exchange/matching/request-key.ts';
import { isJsonBranch, isJsonObject } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import type { StaleRecordings } from './age.ts';
import type { RecordingLocation, RecordingMatch, Recordings } from './match.ts';
import { recordCommand, type Uncompared } from './record-command.ts';

/** A request that no recording answers, and why. Upgrades and CONNECT are never recorded. */
export interface ReplayMiss {
  /** `miss`: it was never recorded; `exhausted`: all its recordings have been used; `cut-off`: the recorder was stopped before its response ended. */
  readonly code: 'miss' | 'exhausted' | 'cut-off' | 'upgrade' | 'connect';
  /** Method of the missed request: `POST`. */
  readonly method: string;
  /** Path and query of the missed request: `/v1/files?limit=1`; host and port for CONNECT. */
  readonly target: string;
  /** The most similar recordings, nearest first; if the request is exhausted or cut off, its own recordings. */
  readonly nearest: readonly NearestRecording[];
  /** Redaction rules that were given when recording, but not now, as a phrase; null if none is known to be missing. */
  readonly rules: string | null;
  /** The command that records it. */
  readonly again: string;
}

/** A recording that is similar to a missed request. */
export interface NearestRecording {
  /** Folder of the cassette. */
  readonly cassette: string;
  /** Id of the exchange, such as `e3`. */
  readonly exchange: string;
  /** Method of the recorded request. */
  readonly method: string;
  /** Path and query of the recorded request. */
  readonly target: string;
  /** The first twenty places where it differs from the missed request. */
  readonly differences: readonly RequestDifference[];
}

/** Maximum number of recordings that are compared in full. */
const MAX_COMPARED = 200;
/** Maximum number of similar recordings in a miss, and of places in its message. */
const MAX_SHOWN = 3;

/** Explains why no recording answers a request. `client`: the command that sent it, if known; `uncompared`: options of the replay. */
export function explainMiss(
  request: HttpRequest,
  match: Exclude<RecordingMatch, { kind: 'hit' }>,
  recordings: Recordings,
  { client, ...uncompared }: Uncompared & { readonly client?: string } = {},
): ReplayMiss {
  const asked = recordings.canonical(request);
  const compareAll = (locations: readonly RecordingLocation[]) =>
    locations.map((location) => compareWith(location, asked, recordings));
  const cutOff =
    match.kind === 'miss'
      ? compareAll(findSimilarRecordings(asked, recordings, 'cut off')).filter(
          ({ differences }) => differences.length === 0,
        )
      : [];
  const isCutOff = cutOff.length > 0;
  const findSimilar = () =>
    compareAll(
      match.kind === 'exhausted' ? match.locations : findSimilarRecordings(asked, recordings, 'whole'),
    );
  const nearest = (isCutOff ? cutOff : findSimilar())
    .toSorted((a, b) => weight(a) - weight(b))
    .slice(0, MAX_SHOWN);
  const { method, target } = request;
  const { missingRules: rules } = recordings;
  return {
    code: isCutOff ? 'cut-off' : match.kind,
    method,
    target,
    nearest,
    rules,
    again: recordCommand(recordings.cassettes[0], 'new', client, uncompared),
  };
}

/** A miss that no recording can prevent: an upgrade, or CONNECT. */
export function unrecordable(code: 'upgrade' | 'connect', req: IncomingMessage): ReplayMiss {
  const again =
    'not possible: a cassette holds requests and responses, and such a connection carries neither';
  return { code, method: req.method ?? 'GET', target: req.url ?? '/', nearest: [], rules: null, again };
}

/** The error that the client gets; its message names the nearest recording. */
export function missAnswer(miss: ReplayMiss): { readonly message: string; readonly more: object } {
  const { code, nearest, rules, again } = miss;
  const [first] = missText(miss).split('\n');
  const [nearestRecording] = nearest;
  const recordingText =
    nearestRecording === undefined
      ? ''
      : ` ${code === 'miss' ? 'Nearest' : 'Recorded'}: ${nearestText(nearestRecording)}.`;
  return { message: `${first?.replace(/ {2}/, ' ')}.${recordingText}`, more: { nearest, rules, again } };
}

/** A recording and the first places in which it differs, on one line. */
function nearestText({ exchange, method, target, differences }: NearestRecording): string {
  const places = differences.slice(0, MAX_SHOWN).map(({ at }) => at);
  const more = differences.length > MAX_SHOWN ? ', …' : '';
  return `${exchange} ${method} ${target}${places.length === 0 ? '' : `, which differs in ${places.join(', ')}${more}`}`;
}

/** Header fields of the response to a miss: without them, clients take 501 for a transient error and retry. */
export const MISS_FIELDS = { 'x-should-retry': 'false' };

/** A miss as text for the terminal: the request, the nearest recording, the differences and the command. */
export function missText({ code, method, target, nearest, rules, again }: ReplayMiss): string {
  const lines = [
    `${HEADLINES[code]}  ${method} ${target}`,
    ...nearest
      .slice(0, 1)
      .flatMap((one) => [
        `      cassette  ${one.cassette}`,
        `      ${code === 'miss' ? 'nearest ' : 'recorded'}  ${one.exchange}  ${one.method} ${one.target}`,
        ...one.differences.flatMap(({ at, recorded, asked }) => [
          `      at        ${at}`,
          `      recorded  ${shortValue(recorded)}`,
          `      asked     ${shortValue(asked)}`,
        ]),
      ]),
    ...(rules === null ? [] : [`      rules     ${rules}`]),
    `      again     ${again}`,
  ];
  return lines.join('\n');
}

const HEADLINES: Readonly<Record<ReplayMiss['code'], string>> = {
  miss: 'No recorded exchange answers',
  exhausted: 'All recordings have been used of',
  'cut-off': 'The recorder was stopped before the end of the response to',
  upgrade: 'Upgraded connections are not replayed',
  connect: 'Connections through the proxy are not replayed',
};

/** Compares a recording with the request in full, which reads its exchange from disk. */
function compareWith(
  location: RecordingLocation,
  asked: CanonicalRequest,
  recordings: Recordings,
): NearestRecording {
  const { id, request } = location.cassette.exchange(location.k);
  return {
    cassette: location.cassette.dir,
    exchange: id,
    method: request.method,
    target: request.target,
    differences: requestDifferences(recordings.canonical(request), asked),
  };
}

/** A different method or path weighs more than any difference within a request. */
function weight({ differences }: NearestRecording): number {
  return differences.reduce((sum, { at }) => sum + (at === 'method' || at === 'path' ? 100 : 1), 0);
}

/** The recordings with the most similar method and path, among the finished or the unfinished ones. */
function findSimilarRecordings(
  asked: CanonicalRequest,
  recordings: Recordings,
  state: 'whole' | 'cut off',
): RecordingLocation[] {
  const ranked: { location: RecordingLocation; likeness: number }[] = [];
  for (const cassette of recordings.cassettes) {
    for (let k = 0; k < cassette.size; k += 1) {
      if (cassette.isKilled(k) !== (state === 'cut off')) continue;
      const { method, target } = cassette.request(k);
      const likeness = similarity(method, target, asked);
      if (likeness > 0) ranked.push({ location: { cassette, k }, likeness });
    }
  }
  return ranked
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_COMPARED)
    .map(({ location: place }) => place);
}

/** Similarity of a recorded method and path to the requested ones: 0 (unrelated) to 3.5. */
function similarity(method: string, target: string, asked: CanonicalRequest): number {
  const left = (target.split('?')[0] ?? '').split('/');
  const right = asked.path.split('/');
  const same = left.filter((segment, i) => segment !== '' && segment === right[i]).length;
  const length = Math.max(left.length, right.length) - 1;
  return (same / length) * 2 + (left.length === right.length ? 0.5 : 0) + (method === asked.method ? 1 : 0);
}

/** Maximum length of a value that is shown. UTF-16 code units. */
const MAX_VALUE_LENGTH = 200;

function shortValue(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** One place where two requests differ. */
export interface RequestDifference {
  /** `method`, `path`, `query limit`, `beta header`, `credentials`, `body /messages/0/content`, `form file`. */
  readonly at: string;
  /** The value in the recording; undefined if it has none. */
  readonly recorded: Json | undefined;
  /** The value in the missed request; undefined if it has none. */
  readonly asked: Json | undefined;
}

/** Maximum number of differences that are reported. */
const MAX_DIFFERENCES = 20;

/** Where two requests differ: method and path first, then header, query and body; at most twenty places. */
function requestDifferences(recorded: CanonicalRequest, asked: CanonicalRequest): RequestDifference[] {
  const found: RequestDifference[] = [];
  for (const difference of allDifferences(recorded, asked))
    if (found.push(difference) === MAX_DIFFERENCES) break;
  return found;
}

function* allDifferences(recorded: CanonicalRequest, asked: CanonicalRequest): Generator<RequestDifference> {
  const values: readonly (readonly [at: string, recorded: Json, asked: Json])[] = [
    ['method', recorded.method, asked.method],
    ['path', recorded.path, asked.path],
    ['beta header', recorded.beta, asked.beta],
    ['credentials', credentialsText(recorded), credentialsText(asked)],
  ];
  for (const [at, left, right] of values) if (left !== right) yield { at, recorded: left, asked: right };
  for (const one of valueDifferences('', queryByName(recorded.query), queryByName(asked.query)))
    yield { ...one, at: `query ${one.at.slice(1)}` };
  const [left, right] = [kindOfBody(recorded.body), kindOfBody(asked.body)];
  if (left.kind === right.kind) {
    for (const one of valueDifferences('', left.value, right.value))
      yield { ...one, at: left.kind === 'form' ? `form ${one.at.slice(1)}` : `body ${one.at}`.trimEnd() };
  } else if (left.value !== right.value) yield { at: 'body', recorded: left.kind, asked: right.kind };
}

/** Credentials are compared by presence only, since their values were replaced. */
function credentialsText({ credentials }: CanonicalRequest): string {
  return credentials ? 'present' : 'absent';
}

/** The query as an object; values of a repeated name are joined. */
function queryByName(query: CanonicalRequest['query']): Json {
  const names = new Set(query.map(([name]) => name));
  const values = (name: string) => query.filter(([key]) => key === name).map(([, value]) => value);
  return Object.fromEntries([...names].map((name) => [name, values(name).join(', ')]));
}

/** The kind of a canonical body; bodies of different kinds differ as a whole. */
function kindOfBody(body: Json): { kind: string; value: Json } {
  if (!isJsonObject(body)) return { kind: 'none', value: null };
  if ('json' in body) return { kind: 'JSON', value: body['json'] ?? null };
  if (Array.isArray(body['parts'])) return { kind: 'form', value: partsByName(body['parts']) };
  return { kind: 'bytes', value: body };
}

/** Parts of a form as members of an object; a repeated name gets an index. */
function partsByName(parts: readonly Json[]): Json {
  const named = parts.filter(isJsonObject).map((part, i) => [`${part['name'] ?? i}`, part] as const);
  const count = new Map<string, number>();
  return Object.fromEntries(
    named.map(([name, { name: _, ...part }]) => {
      const n = count.get(name) ?? 0;
      count.set(name, n + 1);
      return [n === 0 ? name : `${name}[${n}]`, 'value' in part ? (part['value'] ?? null) : part];
    }),
  );
}

/** Every difference between two JSON values, by the pointer of its place below `pointer`. */
function* valueDifferences(
  pointer: string,
  recorded: Json | undefined,
  asked: Json | undefined,
): Generator<RequestDifference> {
  if (recorded === asked) return;
  const isSameKind =
    isJsonBranch(recorded) && isJsonBranch(asked) && Array.isArray(recorded) === Array.isArray(asked);
  if (!isSameKind) {
    yield { at: pointer, recorded, asked };
    return;
  }
  const [left, right] = [new Map(Object.entries(recorded)), new Map(Object.entries(asked))];
  for (const name of new Set([...left.keys(), ...right.keys()]))
    yield* valueDifferences(`${pointer}/${pointerToken(name)}`, left.get(name), right.get(name));
}

/** How a replayer answered the requests that it received. */
export interface ReplayReport {
  /** Number of recordings in the cassettes. */
  readonly exchanges: number;
  /** Number of requests that a recording answered. */
  readonly answered: number;
  /** Requests that no recording answered, each listed once. */
  readonly misses: readonly ReplayMiss[];
  /** The first hundred recordings that no request has used. */
  readonly unusedRecordings: readonly UnusedRecording[];
  /** Number of all unused recordings. */
  readonly leftoverCount: number;
  /**
   * The command that records the cassette of the first unused recording again, without requests that no client sends; null if all
   * are used.
   */
  readonly again: string | null;
  /** Number of requests whose recording could not be read, or was changed. */
  readonly unreadable: number;
  /** Recordings beyond `maxAge`; null for none. */
  readonly stale: StaleRecordings | null;
  /** Whether there was a miss, an unreadable or a stale recording, or, under `strict`, an unused one. */
  readonly failed: boolean;
}

/** A recording that no request has used. */
export interface UnusedRecording {
  /** Folder of the cassette. */
  readonly cassette: string;
  /** Id of the exchange in its cassette, such as `e3`. */
  readonly exchange: string;
  /** Method of the recorded request. */
  readonly method: string;
  /** Path and query of the recorded request. */
  readonly target: string;
}

/** Maximum number of misses that are kept, so that a looping client does not fill the memory. */
const MAX_MISSES = 10_000;
/** Maximum number of unused recordings that a report names. */
const MAX_LISTED = 100;

export class ReplayStatistics {
  /** Number of requests that a recording answered so far. */
  answered = 0;
  /** Number of requests so far whose recording could not be read, or was changed. */
  unreadable = 0;
  /** Null unless recordings are older than `maxAge`, or of unknown age. */
  stale: StaleRecordings | null = null;
  /** By the key of the request. */
  readonly #misses = new Map<string, ReplayMiss>();
  readonly #recordings: Recordings;
  readonly #strict: boolean;
  readonly #client: string | undefined;

  /** `strict`: whether unused recordings are a failure. Default: when `CI` is set. `client`: the command that sends the requests, if known. */
  constructor(
    recordings: Recordings,
    {
      strict = Boolean(process.env['CI']),
      client,
    }: { readonly strict?: boolean | undefined; readonly client?: string } = {},
  ) {
    this.#recordings = recordings;
    this.#strict = strict;
    this.#client = client;
  }

  /** Adds a miss; returns false if there was one with this key, or the limit of 10,000 is reached. */
  miss(key: string, miss: ReplayMiss): boolean {
    if (this.#misses.has(key) || this.#misses.size >= MAX_MISSES) return false;
    this.#misses.set(key, miss);
    return true;
  }

  /** The counts so far, and the recordings that no request has used yet. */
  report(): ReplayReport {
    const unusedRecordings: UnusedRecording[] = [];
    let leftoverCount = 0;
    let again: string | null = null;
    for (const { cassette, k } of this.#recordings.leftovers()) {
      again ??= recordCommand(cassette, 'record', this.#client);
      leftoverCount += 1;
      if (unusedRecordings.length >= MAX_LISTED) continue;
      const { method, target } = cassette.request(k);
      unusedRecordings.push({ cassette: cassette.dir, exchange: `e${k + 1}`, method, target });
    }
    const misses = [...this.#misses.values()];
    const { answered, unreadable, stale } = this;
    const failed = misses.length + unreadable > 0 || stale !== null || (this.#strict && leftoverCount > 0);
    return {
      exchanges: this.#recordings.size,
      answered,
      unreadable,
      stale,
      misses,
      unusedRecordings,
      leftoverCount,
      again,
      failed,
    };
  }
}
