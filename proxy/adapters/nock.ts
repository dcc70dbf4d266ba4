import { isUtf8 } from 'node:buffer';
import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import type { Exchange, HttpResponse } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { importOptionalPeer } from '../../exchange/optional-peer.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { findUnpassableField, findUnpassablePart } from '../http/unpassable.ts';
import { parseUpstream } from '../http/upstream.ts';
import { type Chunking, type ScheduledChunk, scheduleChunks } from '../replay/chunking.ts';
import { MISS_FIELDS, missAnswer } from '../replay/miss-text.ts';
import { cutMessage } from '../replay/play-response.ts';
import { type MatchOptions, Recordings } from '../replay/recordings.ts';
import { redactRequest } from '../replay/redaction.ts';
import { explainMiss } from '../replay/replay-miss.ts';
import { type ReplayReport, ReplayStatistics } from '../replay/replay-statistics.ts';

export interface NockOptions extends MatchOptions {
  /** Base URL that the client uses. Default: the URL of the recorded service. */
  readonly baseUrl?: string;
  /** Whether unused recordings are a failure. Default: when `CI` is set. */
  readonly strict?: boolean;
  /** How bodies are split into pieces. Default: as recorded. */
  readonly chunking?: Chunking;
  /** Called if a client reads beyond the point where the recorded client disconnected; its connection is then reset. */
  readonly onCut?: (message: string) => void;
}

export interface Nocked {
  /** Base URL for the client, with `/v1`. */
  readonly url: string;
  /** The statistics of the replay so far; the final ones after `restore`. */
  report(): ReplayReport;
  /** Removes the interceptors; returns the final statistics. nock stays active for interceptors that tests may have. */
  restore(): ReplayReport;
}

export class UnsupportedByNock extends Error {
  override readonly name = 'UnsupportedByNock';
}

/** nock matches interceptors by method, and has no wildcard for it. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/**
 * Answers requests of this process to the origin of `baseUrl` from cassettes, without a server, if they use
 * `node:http`, `node:https` or the global `fetch`; nock misses the npm package undici. Loses reason phrases and
 * the recorded pace. Rejects with UnsupportedByNock for a cassette with trailers, which `replay` can serve, with
 * CassetteError if a cassette cannot be read, and with MissingPeer if nock is not installed.
 */
export async function toNock(paths: string | readonly string[], options: NockOptions = {}): Promise<Nocked> {
  const { default: nock } = await importOptionalPeer('nock', 'assay/nock', () => import('nock'));
  const cassettes: Cassette[] = [];
  try {
    for (const path of [paths].flat()) cassettes.push(await openCassette(path));
    for (const cassette of cassettes) refuseTrailers(cassette);
    return intercept(nock, cassettes, options);
  } catch (error) {
    for (const cassette of cassettes) cassette.close();
    throw error;
  }
}

function intercept(
  nock: typeof import('nock'),
  cassettes: readonly Cassette[],
  options: NockOptions,
): Nocked {
  const baseUrl = options.baseUrl ?? cassettes[0]?.header.target.baseUrl ?? 'http://127.0.0.1/v1';
  const player = new NockPlayer(new Recordings(cassettes, options), parseUpstream(baseUrl).prefix, options);
  if (!nock.isActive()) nock.activate();
  const scope = nock(new URL(baseUrl).origin).persist();
  const interceptors = METHODS.map((method) => scope.intercept(() => true, method));
  scope.on('request', (req: ClientRequest, _: unknown, body: string) => player.bodies.set(req, body));
  for (const interceptor of interceptors) {
    interceptor.reply(function (uri) {
      return player.answer(this.req, uri);
    });
  }
  let finalReport: ReplayReport | null = null;
  return {
    url: `${new URL(baseUrl).origin}${parseUpstream(baseUrl).prefix}/v1`,
    report: () => finalReport ?? player.statistics.report(),
    restore: () => {
      if (finalReport !== null) return finalReport;
      for (const interceptor of interceptors) nock.removeInterceptor(interceptor);
      finalReport = player.statistics.report();
      for (const cassette of cassettes) cassette.close();
      return finalReport;
    },
  };
}

/** Status, body, and header fields as alternating names and values, to keep repeated fields and the case of names. */
type Reply = [number, Readable | string, string[]];

class NockPlayer {
  readonly statistics: ReplayStatistics;
  /** Bodies by request: nock reports them in an event before it asks for the reply. */
  readonly bodies = new WeakMap<object, string>();
  readonly #recordings: Recordings;
  readonly #options: NockOptions;
  /** Path before `/v1` in the client's base URL; recordings do not contain it. */
  readonly #prefix: string;
  readonly #redactor: Redactor;

  constructor(recordings: Recordings, prefix: string, options: NockOptions) {
    this.statistics = new ReplayStatistics(recordings, { strict: options.strict });
    this.#recordings = recordings;
    this.#prefix = prefix;
    this.#options = options;
    this.#redactor = new Redactor({ environment: process.env, ...recordings.redaction });
  }

  async answer(req: ClientRequest, uri: string): Promise<Reply> {
    const headers = Object.entries(req.getHeaders()).map(
      ([name, value]) => [name, [value ?? ''].flat().join(', ')] as const,
    );
    const length = Number(req.getHeader('content-length') ?? Number.NaN);
    const body = Body.from(bodyBytes(this.bodies.get(req) ?? '', length));
    const target = uri.startsWith(`${this.#prefix}/`) ? uri.slice(this.#prefix.length) : uri;
    const request = redactRequest({ method: req.method, target, headers, body }, this.#redactor);
    const match = this.#recordings.take(request);
    if (match.kind === 'hit') {
      const { cassette, k } = match.location;
      const exchange = this.#countUnreadable(() => cassette.exchange(k));
      this.statistics.answered += 1;
      return this.#toReply(exchange);
    }
    const miss = this.#countUnreadable(() => explainMiss(request, match, this.#recordings));
    const { code } = miss;
    this.statistics.addMiss(`${code} ${this.#recordings.keyOf(request)}`, miss);
    const { message, more } = missAnswer(miss);
    const answer = JSON.stringify({ error: { message, type: 'assay_proxy', code, ...more } }, null, 2);
    const fields = { 'Content-Type': 'application/json', 'x-assay-error': code, ...MISS_FIELDS };
    return [501, answer, Object.entries(fields).flat()];
  }

  #toReply({ id, response, end }: Exchange): Reply {
    const endingError = () => {
      if (end.how !== 'client-abort')
        return connectionReset(`As recorded in ${id}: ${end.detail ?? end.how}`);
      this.#options.onCut?.(cutMessage(id));
      return connectionReset(cutMessage(id));
    };
    if (response === null) throw endingError();
    const unpassableReason =
      findUnpassablePart(response.status, response.reason, response.headers.length) ??
      findUnpassableField(response.headers);
    if (unpassableReason !== null) throw connectionReset(`As recorded in ${id}: ${unpassableReason}`);
    const body = bodyPieces(this.#chunksOf(response), end.how === 'complete' ? null : endingError);
    return [response.status, Readable.from(body, { objectMode: false }), response.headers.flat()];
  }

  /** Reads the body of a response while it is sent. */
  *#chunksOf(response: HttpResponse): Generator<ScheduledChunk> {
    try {
      yield* scheduleChunks(response, this.#options.chunking ?? { by: 'wire' });
    } catch (error) {
      this.statistics.unreadable += 1;
      throw error;
    }
  }

  /** Throws what `read` throws; nock passes it to the client as the error of its request. */
  #countUnreadable<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.statistics.answered += 1;
      this.statistics.unreadable += 1;
      throw error;
    }
  }
}

async function* bodyPieces(chunks: Iterable<ScheduledChunk>, finalError: (() => Error) | null) {
  for (const { bytes } of chunks) {
    yield bytes;
    await nextTurn();
  }
  if (finalError !== null) throw finalError();
}

function connectionReset(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

/**
 * The bytes of a body that nock reported: nock encodes a body that is not UTF-8 as hex digits. `length` is the
 * announced length, which shows whether such digits are the text itself; NaN if there is none.
 */
function bodyBytes(reported: string, length: number): Buffer {
  const text = Buffer.from(reported);
  if (text.length === length || reported.length % 2 === 1 || /[^\da-f]/.test(reported)) return text;
  const bytes = Buffer.from(reported, 'hex');
  return bytes.length === length || !isUtf8(bytes) ? bytes : text;
}

/** Throws UnsupportedByNock if a cassette has trailers, which clients would lose. Parses only lines that name them. */
function refuseTrailers(cassette: Cassette): void {
  for (let k = 0; k < cassette.size; k += 1) {
    if (!cassette.lines(k).includes('"trailers":[')) continue;
    if ((cassette.exchange(k).response?.trailers.length ?? 0) === 0) continue;
    throw new UnsupportedByNock(
      `e${k + 1} of ${cassette.dir} has trailers, which nock cannot send. Serve it with replay() instead.`,
    );
  }
}
