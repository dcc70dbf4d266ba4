import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import { ScratchReader } from '../../exchange/cassette/line-files.ts';
import type { HttpRequest } from '../../exchange/exchange.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { Chunking } from './chunking.ts';
import { type ReplayReport, ReplayStatistics } from './replay-statistics.ts';

export type { ReplayReport, UnusedRecording } from './replay-statistics.ts';

import { reset } from '../forward/fault.ts';
import { type BodyTiming, listenOnLoopback, requestTargetOf } from '../forward/listen.ts';
import { badTarget, refuseConnect, sendProxyError, sendProxyErrorOn } from '../forward/proxy-error.ts';
import { rewriterFor, rewriteUrls } from '../urls/replay-urls.ts';
import type { UrlRewriter } from '../urls/url-rewriter.ts';
import { type MatchOptions, Recordings } from './match.ts';
import { type ClientConnection, PLAYED_AT_ONCE, type PlayOptions, playResponse } from './play-response.ts';
import { readRequest } from './read-request.ts';
import {
  explainMiss,
  MISS_FIELDS,
  missAnswer,
  missText,
  type ReplayMiss,
  unrecordable,
} from './replay-miss.ts';

/** How recorded traffic is served. */
export interface ReplayOptions extends MatchOptions {
  /** Folders of the cassettes, searched in this order. */
  readonly cassettes: readonly string[];
  /** 0, the default, selects any free port. */
  readonly port?: number;
  /** Whether unused recordings are a failure. Default: when `CI` is set. */
  readonly strict?: boolean;
  /** Times faster than recorded; Infinity, the default, does not wait. */
  readonly pace?: number;
  /** Default: as recorded. */
  readonly chunking?: Chunking;
  /** Whether absolute URLs of recorded hosts in JSON responses are replaced by the replayer's. */
  readonly rewriteUrls?: boolean;
  /** The command whose requests are answered, as words of a command line: a miss proposes to record it again. */
  readonly client?: string;
  /** Called at the first miss of each request; `words` are the lines for a terminal. */
  readonly onMiss?: (miss: ReplayMiss, words: string) => void;
  /** Called where a client reads on beyond a recording whose client had disconnected; `words` for a terminal. */
  readonly onCut?: (words: string) => void;
  /** Called where a recording cannot be read, or a large body turns out to be changed while it is sent; `words` for a terminal. */
  readonly onUnreadable?: (words: string) => void;
}

/** A running server of recorded traffic. */
export interface Replayer {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** The statistics so far. */
  report(): ReplayReport;
  /** Stops the server and returns the final statistics. */
  close(): Promise<ReplayReport>;
}

/**
 * Serves recorded exchanges. It opens no connection, only the listening socket. Rejects with CassetteError when a cassette
 * cannot be read, and with the system's error when the port is taken.
 */
export async function startReplayer(options: ReplayOptions): Promise<Replayer> {
  const cassettes: Cassette[] = [];
  for (const dir of options.cassettes) cassettes.push(await openCassette(dir, { replay: true }));
  const recordings = new Recordings(cassettes, options);
  const handler = new ReplayHandler(recordings, options);
  const closeAll = () => {
    for (const cassette of cassettes) cassette.close();
  };
  try {
    const { server, url, hangUp } = await listenOnLoopback(options.port ?? 0, handler);
    // Recorded responses may announce any keep-alive timeout, so connections are never closed for being idle.
    server.keepAliveTimeout = 0;
    handler.listensAt(url);
    return {
      url,
      report: () => handler.statistics.report(),
      close: async () => {
        await hangUp();
        const report = handler.statistics.report();
        closeAll();
        return report;
      },
    };
  } catch (error) {
    closeAll();
    throw error;
  }
}

/** Answers requests from recordings. */
class ReplayHandler {
  readonly statistics: ReplayStatistics;
  readonly #recordings: Recordings;
  readonly #options: ReplayOptions;
  /** How responses are sent; the same for all requests. */
  readonly #how: PlayOptions;
  readonly #redactor: Redactor;
  readonly #rewriter: UrlRewriter | null;
  /**
   * Buffer for bodies, reused by responses that leave at once, which spares an allocation for each request.
   */
  readonly #scratch = new ScratchReader();
  /** Origin of this server, known once it listens. */
  #here = '';

  constructor(recordings: Recordings, options: ReplayOptions) {
    this.#recordings = recordings;
    this.statistics = new ReplayStatistics(recordings, options.strict);
    this.#options = options;
    this.#redactor = new Redactor({ environment: process.env, ...recordings.redaction });
    this.#rewriter = options.rewriteUrls ? rewriterFor(recordings, () => this.#here) : null;
    this.#how = {
      pace: options.pace ?? Number.POSITIVE_INFINITY,
      chunking: options.chunking ?? { by: 'wire' },
      onCut: options.onCut,
    };
  }

  request(req: IncomingMessage, res: ServerResponse, timing: BodyTiming): void {
    const target = requestTargetOf(req);
    if (target === null) {
      sendProxyError(res, badTarget(req));
      return;
    }
    if (timing === 'after-continue') res.writeContinue();
    res.on('error', ignore);
    const client = { req, res, began: performance.now() };
    readRequest(req, target, this.#redactor, (request) => {
      try {
        const playing = this.#answer(request, client);
        if (playing !== PLAYED_AT_ONCE) playing.catch((error: unknown) => this.#unreadable(res, error));
      } catch (error) {
        this.#unreadable(res, error);
      }
    });
  }

  /** A recording cannot be read: answers so, or resets a connection on which the response has begun. */
  #unreadable(res: ServerResponse, error: unknown): void {
    const message = messageOf(error);
    this.statistics.unreadable += 1;
    this.#options.onUnreadable?.(message);
    if (!res.headersSent) sendProxyError(res, { status: 500, code: 'unreadable', message });
    else if (!reset(res)) res.destroy();
  }

  /** Upgraded connections are misses: their frames were not recorded. */
  upgrade(req: IncomingMessage, socket: Duplex): void {
    const miss = unrecordable('upgrade', req);
    this.#addMiss(`upgrade ${req.url}`, miss);
    sendProxyErrorOn(socket, { status: 501, code: 'upgrade', message: missAnswer(miss).message });
  }

  connect(req: IncomingMessage, socket: Duplex): void {
    this.#addMiss(`connect ${req.url}`, unrecordable('connect', req));
    refuseConnect(req, socket);
  }

  listensAt(url: string): void {
    this.#here = new URL(url).origin;
  }

  #answer(request: HttpRequest, client: ClientConnection): Promise<void> {
    const { res } = client;
    const match = this.#recordings.take(request);
    if (match.kind !== 'hit') {
      this.#miss(request, res, explainMiss(request, match, this.#recordings, this.#options.client));
      return PLAYED_AT_ONCE;
    }
    this.statistics.answered += 1;
    const { cassette, k } = match.location;
    const rewriter = this.#rewriter;
    const how = this.#how;
    if (rewriter !== null) return playResponse(rewriteUrls(cassette.exchange(k), rewriter), client, how);
    // Simultaneous requests are all read before the first response is loaded, because their times count from there.
    if (how.pace !== Number.POSITIVE_INFINITY)
      return turn().then(() => playResponse(cassette.answer(k), client, how));
    const playing = playResponse(cassette.answer(k, this.#scratch.read), client, how);
    // Until all bytes have been passed to the system, the scratch buffer must not be reused.
    if (playing !== PLAYED_AT_ONCE || res.socket === null || res.socket.writableLength > 0)
      this.#scratch.leave();
    return playing;
  }

  #miss(request: HttpRequest, res: ServerResponse, miss: ReplayMiss): void {
    this.#addMiss(`${miss.code} ${this.#recordings.keyOf(request)}`, miss);
    const { message, more } = missAnswer(miss);
    sendProxyError(res, { status: 501, code: miss.code, message, headers: MISS_FIELDS, details: more });
  }

  #addMiss(key: string, miss: ReplayMiss): void {
    if (this.statistics.miss(key, miss)) this.#options.onMiss?.(miss, missText(miss));
  }
}

const ignore = () => {};
