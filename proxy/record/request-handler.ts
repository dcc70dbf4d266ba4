import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CassetteError } from '../../exchange/cassette/cassette-error.ts';
import type { CassetteWriter } from '../../exchange/cassette/cassette-writer.ts';
import { MAX_KEPT_REQUEST_BYTES, type RequestHead } from '../../exchange/cassette/recording.ts';
import { Body } from '../../exchange/http/body.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { isKeyRefusal } from '../../exchange/key-refusal.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { Forwarder } from '../forward/forwarder.ts';
import type { OtherHosts } from '../forward/other-hosts.ts';
import type { ExchangeListener } from '../forward/proxied-exchange.ts';
import { badTargetError, refuseConnect, sendProxyError, sendProxyErrorOn } from '../http/proxy-error.ts';
import { type BodyTiming, requestTargetOf } from '../http/server.ts';
import { remoteUrl, type UrlRewriter } from '../http/url-rewriter.ts';
import { type PlayOptions, playResponse } from '../replay/play-response.ts';
import type { Recordings } from '../replay/recordings.ts';
import { redactRequest } from '../replay/redaction.ts';
import type { Guard } from './guard.ts';
import {
  type ListenerHost,
  type ListenerOptions,
  NULL_LISTENER,
  RecordingListener,
} from './recording-listener.ts';

export interface RequestHandlerOptions extends ListenerOptions {
  readonly otherHosts: OtherHosts | null;
  /** Recordings that answer the same requests again; null to forward all. */
  readonly recordings: Recordings | null;
  /** Rewrites URLs in responses of `recordings`; null to send them as recorded. */
  readonly rewriter: UrlRewriter | null;
  readonly guard: Guard | null;
}

/** Maximum length of a target in a note, in UTF-16 code units: a client may send a long target again and again. */
const MAX_TARGET_LENGTH = 200;
const TOO_LARGE = `The request body is larger than ${MAX_KEPT_REQUEST_BYTES} bytes, which is too large to be compared with recordings. Record with --mode record.`;
const WITHOUT_WAITING: PlayOptions = { pace: Number.POSITIVE_INFINITY, chunking: { by: 'wire' } };

export class RequestHandler implements ListenerHost {
  /** False once recording has ended; the handler then records nothing more. */
  isOpen = true;
  unrecorded = 0;
  upgraded = 0;
  starved = 0;
  replayed = 0;
  unanswered = 0;
  #responses = 0;
  #refusals = 0;
  #lastFailure: string | null = null;
  readonly #cassette: CassetteWriter;
  readonly #forwarder: Forwarder;
  readonly options: RequestHandlerOptions;

  constructor(cassette: CassetteWriter, forwarder: Forwarder, options: RequestHandlerOptions) {
    this.#cassette = cassette;
    this.#forwarder = forwarder;
    this.options = options;
  }

  recordStatus(status: number): void {
    this.#responses += 1;
    if (isKeyRefusal(status)) this.#refusals += 1;
  }

  recordUpstreamFailure(why: string, isRecorded: boolean): void {
    this.#lastFailure = why;
    if (!isRecorded) this.unanswered += 1;
    if (why === 'EMFILE' || why === 'ENFILE') this.starved += 1;
  }

  recordLoss(): void {
    this.unrecorded += 1;
  }

  /** Why no request got a response; null if one did, if there were none, or if clients aborted all of them. */
  get unreachable(): string | null {
    return this.#responses === 0 ? this.#lastFailure : null;
  }

  get isDenied(): boolean {
    return this.#responses > 0 && this.#refusals === this.#responses;
  }

  request(req: IncomingMessage, res: ServerResponse, timing: BodyTiming): void {
    const target = requestTargetOf(req);
    if (target === null) {
      sendProxyError(res, badTargetError(req));
      return;
    }
    req.url = target;
    const rejection = this.options.guard?.findRejection(req) ?? null;
    if (rejection !== null) {
      sendProxyError(res, { status: 403, ...rejection });
      return;
    }
    const { recordings } = this.options;
    if (recordings !== null) void this.#answerOrForward(recordings, req, res, timing);
    else this.#forward(req, res, timing, null);
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const target = requestTargetOf(req);
    const rejection = this.options.guard?.findRejection(req) ?? null;
    if (target === null) sendProxyErrorOn(socket, badTargetError(req));
    else if (rejection !== null) sendProxyErrorOn(socket, { status: 403, ...rejection });
    else {
      req.url = target;
      this.#noteUnrecordable(
        `An upgrade of the connection was requested at ${shorten(target.split('?')[0])} and forwarded unrecorded.`,
      );
      this.#forwarder.upgrade(req, socket, head);
    }
  }

  connect(req: IncomingMessage, socket: Duplex): void {
    this.#noteUnrecordable(
      `A client requested a connection to ${shorten(req.url)} through the proxy (CONNECT), which was rejected.`,
    );
    refuseConnect(req, socket);
  }

  #noteUnrecordable(message: string): void {
    this.unrecorded += 1;
    this.upgraded += 1;
    if (!this.isOpen) return;
    try {
      this.#cassette.note({ note: 'remark', message });
    } catch (error) {
      // The connection is counted in any case; `onError` decides whether it passes without its note.
      if (!(error instanceof CassetteError) || this.options.onError === 'refuse') throw error;
    }
  }

  /** Expects path and query in `req.url`. `body`: the complete request body if it was read already; null otherwise. */
  #forward(req: IncomingMessage, res: ServerResponse, timing: BodyTiming, body: Buffer | null): void {
    const target = req.url ?? '/';
    const remote = remoteUrl(target);
    const forwarder =
      remote === null ? this.#forwarder : (this.options.otherHosts?.forwarderTo(remote) ?? null);
    if (forwarder === null) {
      const message = `No response named ${target}. Only URLs that the service returned are fetched from other hosts.`;
      sendProxyError(res, { status: 403, code: 'unknown_host', message });
      return;
    }
    const headers = forwarder.upstreamHeaders(req);
    let listener: ExchangeListener;
    try {
      listener = this.#openListener({ method: req.method ?? 'GET', target, headers: headers.headers });
    } catch (error) {
      sendProxyError(res, { status: 500, code: 'not_recorded', message: messageOf(error) });
      return;
    }
    const path = remote === null ? target : `${remote.pathname}${remote.search}`;
    forwarder.forward(req, res, { path, headers, listener, timing, body });
  }

  async #answerOrForward(
    recordings: Recordings,
    req: IncomingMessage,
    res: ServerResponse,
    timing: BodyTiming,
  ): Promise<void> {
    const began = performance.now();
    try {
      if (timing === 'after-continue') res.writeContinue();
      const body = await readBody(req);
      if (body === null) return;
      if (body === 'too large') {
        sendProxyError(res, { status: 413, code: 'not_recorded', message: TOO_LARGE });
        return;
      }
      const { method = 'GET', url: target = '/' } = req;
      // Requests to other hosts are sent, and therefore recorded, without the fields that the proxy adds.
      const isRemote = remoteUrl(target) !== null;
      const headers = isRemote ? headerPairs(req.rawHeaders) : this.#forwarder.upstreamHeaders(req).headers;
      const request = { method, target, headers, body: Body.from(body) };
      const match = recordings.take(redactRequest(request, this.#cassette.redactor));
      if (match.kind === 'hit') {
        this.replayed += 1;
        const { cassette, k } = match.location;
        const recorded = this.options.rewriter?.rewriteExchange(cassette.exchange(k)) ?? cassette.answer(k);
        await playResponse(recorded, { req, res, began }, WITHOUT_WAITING);
      } else this.#forward(req, res, 'at-once', body);
    } catch (error) {
      sendProxyError(res, { status: 500, code: 'not_recorded', message: messageOf(error) });
    }
  }

  #openListener(head: RequestHead): ExchangeListener {
    try {
      if (!this.isOpen) throw new Error('Recording has ended: no further request is forwarded.');
      const recordedHead = this.options.answeredOnly ? this.#cassette.prepareHead(head) : head;
      return new RecordingListener(() => this.#cassette.begin(recordedHead), this);
    } catch (error) {
      if (this.options.onError === 'refuse') throw error;
      this.unrecorded += 1;
      return NULL_LISTENER;
    }
  }
}

function shorten(target = ''): string {
  return target.length > MAX_TARGET_LENGTH ? `${target.slice(0, MAX_TARGET_LENGTH)}…` : target;
}

/** Resolves to null if the client aborted. Reads all of a body that is too large: clients may wait for that. */
async function readBody(req: IncomingMessage): Promise<Buffer | 'too large' | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of req) {
      size += piece.length;
      if (size <= MAX_KEPT_REQUEST_BYTES) pieces.push(piece);
    }
  } catch {
    return null;
  }
  return size <= MAX_KEPT_REQUEST_BYTES ? Buffer.concat(pieces) : 'too large';
}
