import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type CassetteWriter, MAX_KEPT_REQUEST_BYTES } from '../../exchange/cassette/cassette-writer.ts';
import { CassetteError } from '../../exchange/cassette/folder.ts';
import type { RequestHead } from '../../exchange/cassette/recording.ts';
import type { Exchange, HeaderPairs } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import type { TraceItem } from '../../exchange/trace.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { DeferredListener } from '../record/deferred-listener.ts';
import {
  type ExchangeListener,
  NULL_LISTENER,
  type RecordingContext,
  RecordingListener,
  TolerantListener,
  upstreamSilence,
} from '../record/exchange-listener.ts';
import { redactedRequest } from '../record/redacted-request.ts';
import type { Recordings } from '../replay/match.ts';
import { type PlayOptions, playResponse } from '../replay/play-response.ts';
import type { OtherHosts } from '../urls/other-hosts.ts';
import { remoteUrl } from '../urls/url-rewriter.ts';
import type { Forwarder } from './forward.ts';
import type { Guard } from './guard.ts';
import { type BodyTiming, requestTargetOf } from './listen.ts';
import { badTarget, refuseConnect, sendProxyError, sendProxyErrorOn } from './proxy-error.ts';

/** How a recorder treats requests. */
export interface RequestHandlerOptions {
  /** Other hosts named by responses, where URLs are rewritten; null otherwise. */
  readonly otherHosts: OtherHosts | null;
  /** Recordings that answer requests, which are then not recorded again; null for none. */
  readonly known: Recordings | null;
  /** Whether exchanges without a response are left out. */
  readonly answeredOnly: boolean;
  /** When the cassette cannot be written: reject requests, or pass them unrecorded. */
  readonly onError: 'refuse' | 'pass';
  readonly onItem: ((item: TraceItem) => void) | null;
  /** Rejects foreign clients where the proxy adds credentials; null otherwise. */
  readonly guard: Guard | null;
}

/** A request as it moves through the handler. */
interface PendingRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Path and query. */
  readonly target: string;
  readonly timing: BodyTiming;
}

/** Receives requests, and opens a recording for each one that is forwarded to the service. */
export class RequestHandler implements RecordingContext {
  /** False once recording has ended; requests that arrive later are rejected. */
  open = true;
  /** Exchanges and connections that passed without being recorded. */
  unrecorded = 0;
  /** Those of `unrecorded` that were connections: upgraded, or requested by CONNECT. */
  upgraded = 0;
  /** Requests answered from recordings. */
  replayed = 0;
  /** Exchanges left out because the service did not respond. */
  unanswered = 0;
  #answers = 0;
  /** Why the last request without a response had none. */
  #silence: string | null = null;
  readonly #cassette: CassetteWriter;
  readonly #forwarder: Forwarder;
  readonly #options: RequestHandlerOptions;
  readonly onExchange: ((exchange: Exchange) => void) | null;

  constructor(cassette: CassetteWriter, forwarder: Forwarder, options: RequestHandlerOptions) {
    this.#cassette = cassette;
    this.#forwarder = forwarder;
    this.#options = options;
    this.onExchange = options.onItem;
  }

  /** Why the service answered no request at all; null where it answered one, or a client aborted them. */
  get unreachable(): string | null {
    return this.#answers === 0 ? this.#silence : null;
  }

  onAnswer(): void {
    this.#answers += 1;
  }

  onSilence(why: string): void {
    this.#silence = why;
  }

  request(req: IncomingMessage, res: ServerResponse, timing: BodyTiming): void {
    const target = requestTargetOf(req);
    if (target === null) {
      sendProxyError(res, badTarget(req));
      return;
    }
    req.url = target;
    const rejection = this.#options.guard?.rejection(req) ?? null;
    if (rejection !== null) {
      sendProxyError(res, { status: 403, ...rejection });
      return;
    }
    const { known } = this.#options;
    const pending = { req, res, target, timing };
    if (known !== null) void this.#answerOrForward(known, pending);
    else this.#forward(pending, null);
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const target = requestTargetOf(req);
    const rejection = this.#options.guard?.rejection(req) ?? null;
    if (target === null) sendProxyErrorOn(socket, badTarget(req));
    else if (rejection !== null) sendProxyErrorOn(socket, { status: 403, ...rejection });
    else {
      req.url = target;
      this.#unrecordable(`An upgraded connection to ${shortened(target.split('?')[0])} passed unrecorded.`);
      this.#forwarder.upgrade(req, socket, head);
    }
  }

  connect(req: IncomingMessage, socket: Duplex): void {
    this.#unrecordable(
      `A client requested a connection to ${shortened(req.url)} through the proxy (CONNECT), which was rejected.`,
    );
    refuseConnect(req, socket);
  }

  /** Adds a note on a connection that is not an exchange, and counts it as unrecorded. */
  #unrecordable(message: string): void {
    this.unrecorded += 1;
    this.upgraded += 1;
    if (!this.open) return;
    try {
      const note = this.#cassette.note({ note: 'remark', message });
      this.#options.onItem?.(note);
    } catch (error) {
      // The connection is counted in any case; whether it passes without its note is up to the user.
      if (!(error instanceof CassetteError) || this.#options.onError === 'refuse') throw error;
    }
  }

  /** `body`: the complete request body, where it has been read already; null otherwise. */
  #forward({ req, res, target, timing }: PendingRequest, body: Buffer | null): void {
    const remote = remoteUrl(target);
    const forwarder =
      remote === null ? this.#forwarder : (this.#options.otherHosts?.forwarder(remote) ?? null);
    if (forwarder === null) {
      const message = `No response named ${target}. Only URLs that the service returned are fetched from other hosts.`;
      sendProxyError(res, { status: 403, code: 'unknown_host', message });
      return;
    }
    const headers = forwarder.route(req);
    let listener: ExchangeListener;
    try {
      listener = this.#listener(req.method ?? 'GET', target, headers.headers);
    } catch (error) {
      sendProxyError(res, { status: 500, code: 'not_recorded', message: messageOf(error) });
      return;
    }
    const path = remote === null ? target : `${remote.pathname}${remote.search}`;
    forwarder.forward(req, res, { path, headers, listener, timing, body });
  }

  async #answerOrForward(known: Recordings, pending: PendingRequest): Promise<void> {
    const { req, res, target, timing } = pending;
    try {
      if (timing === 'after-continue') res.writeContinue();
      const body = await readWhole(req);
      if (body === null) return;
      const { redactor } = this.#cassette;
      const { headers } = this.#forwarder.route(req);
      const request = { method: req.method ?? 'GET', target, headers, body: Body.of(body) };
      const match = known.take(redactedRequest(request, redactor));
      if (match.kind === 'hit') {
        this.replayed += 1;
        const { cassette, k } = match.location;
        await playResponse(cassette.answer(k), { req, res, began: performance.now() }, AS_RECORDED);
      } else this.#forward({ ...pending, timing: 'at-once' }, body);
    } catch (error) {
      const status = error instanceof RequestTooLarge ? 413 : 500;
      if (res.headersSent) res.destroy();
      else sendProxyError(res, { status, code: 'not_recorded', message: messageOf(error) });
    }
  }

  /**
   * The recording of a request that is forwarded. Throws where it cannot be opened and requests are to be
   * refused then.
   */
  #listener(method: string, target: string, headers: HeaderPairs): ExchangeListener {
    const lost = () => {
      this.unrecorded += 1;
    };
    const begin = () => {
      if (!this.open) throw new Error('Recording has ended: no further request is forwarded.');
      return this.#recording({ method, target, headers });
    };
    if (this.#options.onError === 'refuse') return new TolerantListener(begin(), lost, 'answered');
    try {
      return new TolerantListener(begin(), lost);
    } catch {
      lost();
      return NULL_LISTENER;
    }
  }

  #recording(head: RequestHead): ExchangeListener {
    if (!this.#options.answeredOnly) return new RecordingListener(this.#cassette.begin(head), this);
    const begun = this.#cassette.beginning(head);
    const begin = () =>
      this.open ? new RecordingListener(this.#cassette.begin(begun), this) : NULL_LISTENER;
    return new DeferredListener(begin, (end) => {
      const silence = upstreamSilence(end);
      if (silence === null) return;
      this.unanswered += 1;
      this.onSilence(silence);
    });
  }
}

/** A target as a note names it: a client may send a long one again and again. */
function shortened(target = ''): string {
  return target.length > MOST_SHOWN ? `${target.slice(0, MOST_SHOWN)}…` : target;
}

/** Characters of a target that a note shows. */
const MOST_SHOWN = 200;

/** Known recordings are sent at once, in the recorded pieces. */
const AS_RECORDED: PlayOptions = { pace: Number.POSITIVE_INFINITY, chunking: { by: 'wire' } };

/** The request body exceeds the size up to which requests are compared with recordings. */
class RequestTooLarge extends Error {
  override readonly name = 'RequestTooLarge';
}

/** Reads a request body into memory; null when the client disconnects before its end. Rejects with RequestTooLarge. */
async function readWhole(req: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of req) {
      const bytes: Buffer = piece;
      pieces.push(bytes);
      size += bytes.length;
      if (size > MAX_KEPT_REQUEST_BYTES) {
        const message = `The request body is larger than ${MAX_KEPT_REQUEST_BYTES} bytes, which is too large to be compared with recordings. Record with --mode record.`;
        throw new RequestTooLarge(message);
      }
    }
  } catch (error) {
    if (error instanceof RequestTooLarge) throw error;
    return null;
  }
  return Buffer.concat(pieces);
}
