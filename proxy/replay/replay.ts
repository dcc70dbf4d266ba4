import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import { MAX_KEPT_REQUEST_BYTES } from '../../exchange/cassette/recording.ts';
import { ScratchReader } from '../../exchange/cassette/span-reader.ts';
import type { HttpRequest } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { BodyDigest } from '../../exchange/http/body-digest.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { createSentBodyFilter } from '../../exchange/redaction/compressed-body.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { badTargetError, refuseConnect, sendProxyError, sendProxyErrorOn } from '../http/proxy-error.ts';
import { resetInTurn } from '../http/response.ts';
import { type BodyTiming, listenOnLoopback, requestTargetOf } from '../http/server.ts';
import { originOf } from '../http/upstream.ts';
import { remoteUrl, UrlRewriter } from '../http/url-rewriter.ts';
import { findStale, oldestTime, staleText } from './age.ts';
import type { Chunking } from './chunking.ts';
import { MISS_FIELDS, missAnswer, missText } from './miss-text.ts';
import { type ClientConnection, PLAYED_AT_ONCE, type PlayOptions, playResponse } from './play-response.ts';
import { type MatchOptions, type RecordingMatch, Recordings } from './recordings.ts';
import { redactRequest } from './redaction.ts';
import { explainMiss, type ReplayMiss, unrecordableMiss } from './replay-miss.ts';
import { type ReplayReport, ReplayStatistics } from './replay-statistics.ts';

export type { ReplayReport, UnusedRecording } from './replay-statistics.ts';

export interface ReplayOptions extends MatchOptions {
  /** Folders of the cassettes, searched in this order. */
  readonly cassettes: readonly string[];
  /** 0, the default, selects any free port. */
  readonly port?: number;
  /** Whether unused recordings are a failure. Default: when `CI` is set. */
  readonly strict?: boolean;
  /** Speed relative to the recording; Infinity, the default, does not wait. */
  readonly pace?: number;
  /** Default: as recorded. */
  readonly chunking?: Chunking;
  /** Maximum age; older recordings are a failure. A number with `m`, `h`, `d` or `w`, such as `7d`. Default: any. */
  readonly maxAge?: string;
  /** The clock for `maxAge`, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Called once, before the first request, if recordings are stale. */
  readonly onStale?: (words: string) => void;
  /** Whether absolute URLs of recorded hosts in JSON responses are replaced with the replayer's. */
  readonly rewriteUrls?: boolean;
  /** The command line of the client, which reports and messages show in the command that records again. */
  readonly client?: string;
  /** Called at the first miss of each request. `words`, in all callbacks: text for the terminal. */
  readonly onMiss?: (miss: ReplayMiss, words: string) => void;
  /** Called if a client reads beyond the point at which the recorded client disconnected. */
  readonly onCut?: (words: string) => void;
  /** Called if a recording cannot be read, or if sending a large body reveals that its file was changed. */
  readonly onUnreadable?: (words: string) => void;
}

export interface Replayer {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** The counts so far; the final ones after `close`. */
  report(): ReplayReport;
  /** Stops, and returns the final counts. */
  close(): Promise<ReplayReport>;
}

/**
 * Makes no outgoing connection. Rejects with TypeError if `maxAge` or `volatile` is invalid, InvalidNormalising if
 * `normalise` is, CassetteError if a cassette cannot be read, and the system's error if the port is in use.
 */
export async function startReplayer(options: ReplayOptions): Promise<Replayer> {
  const oldest = oldestTime(options);
  const cassettes: Cassette[] = [];
  const closeAll = () => {
    for (const cassette of cassettes) cassette.close();
  };
  try {
    for (const dir of options.cassettes) cassettes.push(await openCassette(dir, { replay: true }));
    const handler = new ReplayHandler(new Recordings(cassettes, options), options);
    handler.checkAge(oldest);
    const { url, hangUp } = await listenOnLoopback(options.port ?? 0, handler);
    handler.origin = new URL(url).origin;
    let finalReport: ReplayReport | null = null;
    return {
      url,
      report: () => finalReport ?? handler.statistics.report(),
      close: async () => {
        await hangUp();
        finalReport ??= handler.statistics.report();
        closeAll();
        return finalReport;
      },
    };
  } catch (error) {
    closeAll();
    throw error;
  }
}

class ReplayHandler {
  readonly statistics: ReplayStatistics;
  readonly #recordings: Recordings;
  readonly #options: ReplayOptions;
  readonly #playOptions: PlayOptions;
  readonly #redactor: Redactor;
  readonly #rewriter: UrlRewriter | null;
  readonly #scratch = new ScratchReader();
  origin = '';

  constructor(recordings: Recordings, options: ReplayOptions) {
    this.#recordings = recordings;
    this.statistics = new ReplayStatistics(recordings, options);
    this.#options = options;
    this.#redactor = new Redactor({ environment: process.env, ...recordings.redaction });
    this.#rewriter = options.rewriteUrls ? createRewriter(recordings, () => this.origin) : null;
    this.#playOptions = {
      pace: options.pace ?? Number.POSITIVE_INFINITY,
      chunking: options.chunking ?? { by: 'wire' },
      onCut: options.onCut,
    };
  }

  request(req: IncomingMessage, res: ServerResponse, timing: BodyTiming): void {
    const target = requestTargetOf(req);
    if (target === null) {
      sendProxyError(res, badTargetError(req));
      return;
    }
    res.on('error', ignoreError);
    const client = { req, res, began: performance.now() };
    const readAndAnswer = () =>
      readRequest(req, target, this.#redactor, (request) =>
        this.#runGuarded(res, () => this.#answer(request, this.#recordings.take(request), client)),
      );
    if (timing === 'at-once') readAndAnswer();
    else this.#runGuarded(res, () => this.#answerHead(target, client, readAndAnswer));
  }

  /** Answers a client that waits for `100 Continue`: at once if that was recorded, else after asking for the body. */
  #answerHead(target: string, client: ClientConnection, readAndAnswer: () => void): Promise<void> {
    const { method = 'GET', rawHeaders } = client.req;
    const head = { method, target, headers: headerPairs(rawHeaders), body: Body.empty };
    const request = redactRequest(head, this.#redactor);
    const match = this.#recordings.takeEarly(request);
    if (match.kind === 'hit') return this.#answer(request, match, client);
    client.res.writeContinue();
    readAndAnswer();
    return PLAYED_AT_ONCE;
  }

  #runGuarded(res: ServerResponse, play: () => Promise<void>): void {
    const { answered } = this.statistics;
    try {
      const playing = play();
      if (playing !== PLAYED_AT_ONCE) playing.catch((error: unknown) => this.#reportUnreadable(res, error));
    } catch (error) {
      // A miss counts too, if the recording nearest to it could not be read.
      this.statistics.answered = answered + 1;
      this.#reportUnreadable(res, error);
    }
  }

  checkAge(oldest: number | null): void {
    if (oldest === null) return;
    const { maxAge = '', onStale, client } = this.#options;
    const stale = findStale(this.#recordings, oldest, { maxAge, client });
    this.statistics.stale = stale;
    if (stale !== null) onStale?.(staleText(stale));
  }

  #reportUnreadable(res: ServerResponse, error: unknown): void {
    const message = messageOf(error);
    this.statistics.unreadable += 1;
    this.#options.onUnreadable?.(message);
    if (!res.headersSent) sendProxyError(res, { status: 500, code: 'unreadable', message });
    else resetInTurn(res);
  }

  /** Upgraded connections are misses: their frames were not recorded. */
  upgrade(req: IncomingMessage, socket: Duplex): void {
    const miss = unrecordableMiss('upgrade', req.method, this.#redactor.redactTarget(req.url ?? '/'));
    this.#addMiss(`upgrade ${req.url}`, miss);
    sendProxyErrorOn(socket, { status: 501, code: 'upgrade', message: missAnswer(miss).message });
  }

  connect(req: IncomingMessage, socket: Duplex): void {
    this.#addMiss(`connect ${req.url}`, unrecordableMiss('connect', req.method, req.url));
    refuseConnect(req, socket);
  }

  #answer(request: HttpRequest, match: RecordingMatch, client: ClientConnection): Promise<void> {
    const { res } = client;
    if (match.kind !== 'hit') {
      this.#sendMiss(request, res, explainMiss(request, match, this.#recordings, this.#options));
      return PLAYED_AT_ONCE;
    }
    this.statistics.answered += 1;
    const { cassette, k } = match.location;
    const rewriter = this.#rewriter;
    const playOptions = this.#playOptions;
    if (rewriter !== null)
      return playResponse(rewriter.rewriteExchange(cassette.exchange(k)), client, playOptions);
    // Recorded times count from the arrival of a request, so all concurrent ones are read before a response is loaded.
    if (playOptions.pace !== Number.POSITIVE_INFINITY)
      return nextTurn().then(() => playResponse(cassette.answer(k), client, playOptions));
    const playing = playResponse(cassette.answer(k, this.#scratch.read), client, playOptions);
    // The buffer must not be reused until all bytes have been passed to the system.
    if (playing !== PLAYED_AT_ONCE || res.socket === null || res.socket.writableLength > 0)
      this.#scratch.replaceBuffer();
    return playing;
  }

  #sendMiss(request: HttpRequest, res: ServerResponse, miss: ReplayMiss): void {
    this.#addMiss(`${miss.code} ${this.#recordings.keyOf(request)}`, miss);
    const { message, more } = missAnswer(miss);
    sendProxyError(res, { status: 501, code: miss.code, message, headers: MISS_FIELDS, details: more });
  }

  #addMiss(key: string, miss: ReplayMiss): void {
    if (this.statistics.addMiss(key, miss)) this.#options.onMiss?.(miss, missText(miss));
  }
}

const ignoreError = () => {};

/**
 * Reads a request as a cassette stores it (secrets replaced, large bodies as digest and parts). Calls `onRequest` in
 * the turn of the event loop in which it is complete; never if the client disconnects earlier.
 */
function readRequest(
  req: IncomingMessage,
  target: string,
  redactor: Redactor,
  onRequest: (request: HttpRequest) => void,
): void {
  const raw = headerPairs(req.rawHeaders);
  const headers = redactor.redactHeaders(raw);
  // Secrets are replaced as in the recorder, so that match keys are equal.
  const filter = createSentBodyFilter(raw, redactor);
  const pieces: Uint8Array[] = [];
  let size = 0;
  let digest: BodyDigest | null = null;
  const keepBytes = (bytes: Uint8Array) => {
    if (bytes.length === 0) return;
    pieces.push(bytes);
    size += bytes.length;
    if (size <= MAX_KEPT_REQUEST_BYTES) return;
    digest ??= new BodyDigest(raw);
    for (const piece of pieces.splice(0)) digest.push(piece);
  };
  req.on('data', (piece: Buffer) => keepBytes(filter.push(piece)));
  req.on('end', () => {
    keepBytes(filter.finish());
    const [first = Buffer.alloc(0), ...more] = pieces;
    const body = digest?.finish() ?? Body.from(more.length === 0 ? first : Buffer.concat(pieces));
    onRequest({ method: req.method ?? 'GET', target: redactor.redactTarget(target), headers, body });
  });
  req.on('error', ignoreError);
}

function createRewriter(recordings: Recordings, proxyOrigin: () => string): UrlRewriter {
  const origins = new Set<string>();
  for (const cassette of recordings.cassettes) {
    for (let k = 0; k < cassette.size; k += 1) {
      const url = remoteUrl(cassette.request(k).target);
      if (url !== null) origins.add(url.origin);
    }
  }
  const [first] = recordings.cassettes;
  const serviceOrigin = first === undefined ? null : originOf(first.header.target.baseUrl);
  return new UrlRewriter({ proxyOrigin, serviceOrigin, allows: (url) => origins.has(url.origin) });
}
