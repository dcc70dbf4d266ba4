import type { HttpRequest } from '../../exchange/exchange.ts';
import type { CanonicalRequest } from '../../exchange/matching/request-key.ts';
import { type IgnoredParts, recordCommand } from './record-command.ts';
import type { RecordingLocation, RecordingMatch, Recordings } from './recordings.ts';
import { compareRequests, type RequestDifference } from './request-differences.ts';

/** A request that no recording answers, and why. Upgrades and CONNECT are never recorded. */
export interface ReplayMiss {
  /** `miss`: never recorded; `exhausted`: all were used; `cut-off`: the recorder stopped before the response ended. */
  readonly code: 'miss' | 'exhausted' | 'cut-off' | 'upgrade' | 'connect';
  readonly method: string;
  /** Path and query of the missed request: `/v1/files?limit=1`; host and port for CONNECT. */
  readonly target: string;
  /** The most similar recordings, nearest first; if the request is exhausted or cut off, its own recordings. */
  readonly nearest: readonly NearestRecording[];
  /** Redaction rules that were given when recording, but not now, as a phrase; null if none is known to be missing. */
  readonly rules: string | null;
  /** The command that records the missed request, or why none can. */
  readonly again: string;
}

export interface NearestRecording {
  readonly cassette: string;
  readonly exchange: string;
  readonly method: string;
  readonly target: string;
  /** The first twenty places where it differs from the missed request. */
  readonly differences: readonly RequestDifference[];
}

const MAX_COMPARED = 200;
const MAX_NEAREST = 3;

export function explainMiss(
  request: HttpRequest,
  match: Exclude<RecordingMatch, { kind: 'hit' }>,
  recordings: Recordings,
  { client, ...ignoredParts }: IgnoredParts & { readonly client?: string } = {},
): ReplayMiss {
  const requested = recordings.canonical(request);
  const compareAll = (locations: readonly RecordingLocation[]) =>
    locations.slice(0, MAX_COMPARED).map((location) => compareWith(location, requested, recordings));
  const unfinished = match.kind === 'miss' ? compareAll(findSimilar(requested, recordings, 'cut off')) : [];
  const cutOff = unfinished.filter(({ differences }) => differences.length === 0);
  const isCutOff = cutOff.length > 0;
  const locations =
    match.kind === 'exhausted' ? match.locations : findSimilar(requested, recordings, 'whole');
  const nearest = isCutOff ? cutOff : compareAll(locations);
  const { method, target } = request;
  return {
    code: isCutOff ? 'cut-off' : match.kind,
    method,
    target,
    nearest: nearest.toSorted((a, b) => weight(a) - weight(b)).slice(0, MAX_NEAREST),
    rules: recordings.missingRules,
    again: recordCommand(recordings.cassettes[0], 'new', client, ignoredParts),
  };
}

export function unrecordableMiss(code: 'upgrade' | 'connect', method = 'GET', target = '/'): ReplayMiss {
  const again =
    'not possible: a cassette contains requests and responses, and such a connection carries neither';
  return { code, method, target, nearest: [], rules: null, again };
}

function compareWith(
  location: RecordingLocation,
  requested: CanonicalRequest,
  recordings: Recordings,
): NearestRecording {
  const { id, request } = location.cassette.exchange(location.k);
  return {
    cassette: location.cassette.dir,
    exchange: id,
    method: request.method,
    target: request.target,
    differences: compareRequests(recordings.canonical(request, location.cassette), requested),
  };
}

/** The total weight of the differences. A different method or path outweighs all others, which are at most twenty. */
function weight({ differences }: NearestRecording): number {
  return differences.reduce((sum, { at }) => sum + (at === 'method' || at === 'path' ? 100 : 1), 0);
}

function findSimilar(
  requested: CanonicalRequest,
  recordings: Recordings,
  state: 'whole' | 'cut off',
): RecordingLocation[] {
  const ranked: { location: RecordingLocation; likeness: number }[] = [];
  for (const cassette of recordings.cassettes) {
    for (let k = 0; k < cassette.size; k += 1) {
      if (cassette.isKilled(k) !== (state === 'cut off')) continue;
      const { method, target } = cassette.request(k);
      const likeness = similarity(method, target, requested);
      if (likeness > 0) ranked.push({ location: { cassette, k }, likeness });
    }
  }
  return ranked.toSorted((a, b) => b.likeness - a.likeness).map(({ location }) => location);
}

/** Similarity of a recorded method and path to the requested ones: 0 (unrelated) to 3.5. */
function similarity(method: string, target: string, requested: CanonicalRequest): number {
  const left = (target.split('?')[0] ?? '').split('/');
  const right = requested.path.split('/');
  const equalCount = left.filter((segment, i) => segment !== '' && segment === right[i]).length;
  const equalShare = equalCount / (Math.max(left.length, right.length) - 1);
  return equalShare * 2 + (left.length === right.length ? 0.5 : 0) + (method === requested.method ? 1 : 0);
}
