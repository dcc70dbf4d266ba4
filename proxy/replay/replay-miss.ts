import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { CanonicalRequest } from '../../exchange/matching/request-key.ts';
import type { RecordingLocation, RecordingMatch, Recordings } from './match.ts';
import { type RequestDifference, requestDifferences } from './request-difference.ts';

/** A request that no recording answers, and why. Upgrades, and connections asked for by CONNECT, are never recorded. */
export interface ReplayMiss {
  readonly code: 'miss' | 'exhausted' | 'upgrade' | 'connect';
  readonly method: string;
  readonly target: string;
  /** Recordings that come nearest, the nearest first; of an exhausted request, its recordings. */
  readonly nearest: readonly NearestRecording[];
  /** Rules that were given when recording, and now are not; null where none is known to be missing. */
  readonly rules: string | null;
  /** What records it. */
  readonly again: string;
}

export interface NearestRecording {
  readonly cassette: string;
  readonly exchange: string;
  readonly method: string;
  readonly target: string;
  readonly differences: readonly RequestDifference[];
}

/** So many recordings are compared in full, those of the same path first. */
const COMPARED = 200;
const SHOWN = 3;

/** Explains why nothing answers a request. */
export function explainMiss(
  request: HttpRequest,
  match: Exclude<RecordingMatch, { kind: 'hit' }>,
  recordings: Recordings,
): ReplayMiss {
  const asked = recordings.canonical(request);
  const candidates = match.kind === 'exhausted' ? match.locations : likely(asked, recordings);
  const nearest = candidates
    .map((location) => near(location, asked, recordings))
    .toSorted((a, b) => weight(a) - weight(b))
    .slice(0, SHOWN);
  const { method, target } = request;
  const { missingRules: rules } = recordings;
  return { code: match.kind, method, target, nearest, rules, again: again(recordings) };
}

/** A miss that no recording could have prevented: an upgrade, or a connection through the proxy. */
export function unrecordable(code: 'upgrade' | 'connect', req: IncomingMessage): ReplayMiss {
  const again =
    'not possible: a cassette holds requests and answers, and what passes in such a connection is neither';
  return { code, method: req.method ?? 'GET', target: req.url ?? '/', nearest: [], rules: null, again };
}

/** What the client is answered in place of a recording: an error whose message names the nearest one. */
export function missAnswer(miss: ReplayMiss): { readonly message: string; readonly more: object } {
  const { code, nearest, rules, again } = miss;
  const [first] = missText(miss).split('\n');
  const [near] = nearest;
  const said =
    near === undefined ? '' : ` ${code === 'exhausted' ? 'Recorded' : 'Nearest'}: ${nearWords(near)}.`;
  return { message: `${first?.replace(/ {2}/, ' ')}.${said}`, more: { nearest, rules, again } };
}

function nearWords({ exchange, method, target, differences }: NearestRecording): string {
  const places = differences.slice(0, SHOWN).map(({ at }) => at);
  const more = differences.length > SHOWN ? ', …' : '';
  return `${exchange} ${method} ${target}${places.length === 0 ? '' : `, which differs in ${places.join(', ')}${more}`}`;
}

/** Fields of an answer to a miss. Clients take 501 for an error that may pass, and ask again, unless they are told. */
export const MISS_FIELDS = { 'x-should-retry': 'false' };

/** The miss in words, for a terminal. */
export function missText({ code, method, target, nearest, rules, again }: ReplayMiss): string {
  const lines = [
    `${FIRST[code]}  ${method} ${target}`,
    ...nearest
      .slice(0, 1)
      .flatMap((one) => [
        `      cassette  ${one.cassette}`,
        `      ${code === 'exhausted' ? 'recorded' : 'nearest '}  ${one.exchange}  ${one.method} ${one.target}`,
        ...one.differences.flatMap(({ at, recorded, asked }) => [
          `      at        ${at}`,
          `      recorded  ${show(recorded)}`,
          `      asked     ${show(asked)}`,
        ]),
      ]),
    ...(rules === null ? [] : [`      rules     ${rules}`]),
    `      again     ${again}`,
  ];
  return lines.join('\n');
}

const FIRST: Readonly<Record<ReplayMiss['code'], string>> = {
  miss: 'No recorded exchange answers',
  exhausted: 'All recordings are used up of',
  upgrade: 'No upgraded connection is replayed',
  connect: 'No connection goes through the proxy',
};

function near(
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

/** Another method or path weighs more than anything within a request. */
function weight({ differences }: NearestRecording): number {
  return differences.reduce((sum, { at }) => sum + (at === 'method' || at === 'path' ? 100 : 1), 0);
}

/** Recordings worth comparing: by likeness of method and path. */
function likely(asked: CanonicalRequest, recordings: Recordings): RecordingLocation[] {
  const ranked: { location: RecordingLocation; likeness: number }[] = [];
  for (const cassette of recordings.cassettes) {
    for (let k = 0; k < cassette.size; k += 1) {
      if (cassette.isKilled(k)) continue;
      const { method, target } = cassette.request(k);
      const likeness = alike(method, target, asked);
      if (likeness > 0) ranked.push({ location: { cassette, k }, likeness });
    }
  }
  return ranked
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, COMPARED)
    .map(({ location: place }) => place);
}

function alike(method: string, target: string, asked: CanonicalRequest): number {
  const left = (target.split('?')[0] ?? '').split('/');
  const right = asked.path.split('/');
  const same = left.filter((segment, i) => segment !== '' && segment === right[i]).length;
  const length = Math.max(left.length, right.length) - 1;
  return (same / length) * 2 + (left.length === right.length ? 0.5 : 0) + (method === asked.method ? 1 : 0);
}

function again({ cassettes: [first] }: Recordings): string {
  if (first === undefined) return 'npx assay record --base-url URL --cassette DIR';
  return `npx assay record --base-url ${first.header.target.baseUrl} --cassette ${first.dir} --mode new`;
}

const LONGEST = 200;

function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
