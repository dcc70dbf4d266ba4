import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { type Cassette, openCassette } from '../../exchange/cassette/read/cassette.ts';
import { ScratchReader } from '../../exchange/cassette/read/file-lines.ts';
import type { HttpRequest } from '../../exchange/exchange.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import type { Chunking } from './chunking.ts';
import { type ReplayReport, ReplayStatistics } from './replay-statistics.ts';

export type { ReplayReport, UnusedRecording } from './replay-statistics.ts';

import { listenOnLoopback, requestTargetOf } from '../forward/listen.ts';
import { refuseConnect, refuseOn, sendProxyError } from '../forward/proxy-error.ts';
import { rewriterFor, rewriteUrls } from '../urls/replay-urls.ts';
import type { UrlRewriter } from '../urls/url-rewriter.ts';
import { type MatchOptions, Recordings } from './match.ts';
import { PLAYED_AT_ONCE, type PlayOptions, playResponse } from './play-response.ts';
import { readRequest } from './read-request.ts';
import {
  explainMiss,
  MISS_FIELDS,
  missAnswer,
  missText,
  type ReplayMiss,
  unrecordable,
} from './replay-miss.ts';

export interface ReplayOptions extends MatchOptions {
  /** Folders of the cassettes, tried in this order. */
  readonly cassettes: readonly string[];
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Whether recordings that nobody asked for are a failure. Default: when `CI` is set. */
  readonly strict?: boolean;
  /** Times faster than recorded; Infinity, the default, does not wait. */
  readonly pace?: number;
  /** Default: as on the wire. */
  readonly chunking?: Chunking;
  /** Turn absolute URLs of recorded hosts in JSON answers into the replayer's own. */
  readonly rewriteUrls?: boolean;
  /** Told of every miss when it happens first, in words for a terminal. */
  readonly onMiss?: (miss: ReplayMiss, words: string) => void;
  /** Told where a client reads on beyond a recording whose client had left, in words for a terminal. */
  readonly onCut?: (words: string) => void;
}

export interface Replayer {
  /** Where clients connect, with `/v1`. */
  readonly url: string;
  /** What happened so far. */
  report(): ReplayReport;
  /** Stops and says what happened. */
  close(): Promise<ReplayReport>;
}

/**
 * Serves recorded exchanges. Nothing but the listening socket is ever opened. Rejects with CassetteError when a cassette
 * cannot be read, and with the system's error when the port is taken.
 */
export async function startReplayer(options: ReplayOptions): Promise<Replayer> {
  const cassettes: Cassette[] = [];
  for (const dir of options.cassettes) cassettes.push(await openCassette(dir, { replay: true }));
  const recordings = new Recordings(cassettes, options);
  const stage = new Stage(recordings, options);
  const shut = () => {
    for (const cassette of cassettes) cassette.close();
  };
  try {
    const { server, url, hangUp } = await listenOnLoopback(options.port ?? 0, stage);
    // Answers may promise, as the service did, to keep connections for long.
    server.keepAliveTimeout = 0;
    stage.listensAt(url);
    return {
      url,
      report: () => stage.statistics.report(),
      close: async () => {
        await hangUp();
        const report = stage.statistics.report();
        shut();
        return report;
      },
    };
  } catch (error) {
    shut();
    throw error;
  }
}

class Stage {
  readonly statistics: ReplayStatistics;
  readonly #recordings: Recordings;
  readonly #options: ReplayOptions;
  readonly #how: PlayOptions;
  readonly #redactor: Redactor;
  readonly #rewriter: UrlRewriter | null;
  readonly #scratch = new ScratchReader();
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

  request(req: IncomingMessage, res: ServerResponse, expects: boolean): void {
    const target = requestTargetOf(req);
    if (target === null) {
      sendProxyError(
        res,
        400,
        'bad_target',
        `${req.url} is no path. Send requests for paths that begin with /v1.`,
      );
      return;
    }
    if (expects) res.writeContinue();
    res.on('error', ignore);
    const began = performance.now();
    readRequest(req, target, this.#redactor, (request) => {
      try {
        const playing = this.#answer(request, req, res, began);
        if (playing !== PLAYED_AT_ONCE) playing.catch((error: unknown) => unreadable(res, error));
      } catch (error) {
        unreadable(res, error);
      }
    });
  }

  upgrade(req: IncomingMessage, socket: Duplex): void {
    const miss = unrecordable('upgrade', req);
    this.#tell(`upgrade ${req.url}`, miss);
    refuseOn(socket, 501, 'upgrade', missAnswer(miss).message);
  }

  connect(req: IncomingMessage, socket: Duplex): void {
    this.#tell(`connect ${req.url}`, unrecordable('connect', req));
    refuseConnect(req, socket);
  }

  listensAt(url: string): void {
    this.#here = new URL(url).origin;
  }

  #answer(request: HttpRequest, req: IncomingMessage, res: ServerResponse, began: number): Promise<void> {
    const match = this.#recordings.take(request);
    if (match.kind !== 'hit') {
      this.#miss(request, res, explainMiss(request, match, this.#recordings));
      return PLAYED_AT_ONCE;
    }
    this.statistics.answered += 1;
    const { cassette, k } = match.location;
    const rewriter = this.#rewriter;
    const how = this.#how;
    if (rewriter !== null)
      return playResponse(rewriteUrls(cassette.exchange(k), rewriter), req, res, how, began);
    // Requests that came at the same time are all taken in before the first answer is read: their times count from there.
    if (how.pace !== Number.POSITIVE_INFINITY)
      return turn().then(() => playResponse(cassette.answer(k), req, res, how, began));
    const playing = playResponse(cassette.answer(k, this.#scratch.read), req, res, how, began);
    // Unless all of it is with the system already, it must not be written over.
    if (playing !== PLAYED_AT_ONCE || res.socket === null || res.socket.writableLength > 0)
      this.#scratch.leave();
    return playing;
  }

  #miss(request: HttpRequest, res: ServerResponse, miss: ReplayMiss): void {
    this.#tell(`${miss.code} ${this.#recordings.keyOf(request)}`, miss);
    const { message, more } = missAnswer(miss);
    sendProxyError(res, 501, miss.code, message, { headers: MISS_FIELDS, ...more });
  }

  #tell(key: string, miss: ReplayMiss): void {
    if (this.statistics.miss(key, miss)) this.#options.onMiss?.(miss, missText(miss));
  }
}

const ignore = () => {};

function unreadable(res: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (res.headersSent) res.destroy();
  else sendProxyError(res, 500, 'unreadable', message);
}
