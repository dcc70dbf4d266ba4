import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type CassetteWriter,
  MAX_KEPT_REQUEST_BYTES,
} from '../../exchange/cassette/write/cassette-writer.ts';
import type { RequestHead } from '../../exchange/cassette/write/recording.ts';
import type { Exchange, HeaderPairs } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import type { TraceItem } from '../../exchange/trace.ts';
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
import { playResponse } from '../replay/play-response.ts';
import type { OtherHosts } from '../urls/other-hosts.ts';
import { remoteUrl } from '../urls/url-rewriter.ts';
import type { Forwarder } from './forward.ts';
import type { Guard } from './guard.ts';
import { requestTargetOf } from './listen.ts';
import { refuseConnect, refuseOn, sendProxyError } from './proxy-error.ts';

export interface RequestHandlerOptions {
  /** Other hosts that answers named, where their URLs are rewritten. */
  readonly otherHosts: OtherHosts | null;
  /** What is known already is answered from here, and not recorded again. */
  readonly known: Recordings | null;
  /** Only what the service answered is recorded. */
  readonly answeredOnly: boolean;
  readonly onError: 'refuse' | 'pass';
  readonly onItem: ((item: TraceItem) => void) | null;
  /** Turns strangers away, where the proxy adds credentials. */
  readonly guard: Guard | null;
}

/** Takes requests in, and opens a recording for each that goes on to the service. */
export class RequestHandler implements RecordingContext {
  open = true;
  /** How many passed without being recorded, and how many were answered from what is known. */
  unrecorded = 0;
  /** How many of those were connections that clients upgraded, or asked for by CONNECT. */
  upgraded = 0;
  replayed = 0;
  /** How many were left out because the service did not answer them. */
  unanswered = 0;
  #answers = 0;
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

  /** Why the service answered nothing at all of what was recorded; null where it answered, or was not to blame. */
  get unreachable(): string | null {
    return this.#answers === 0 ? this.#silence : null;
  }

  onAnswer(): void {
    this.#answers += 1;
  }

  onSilence(why: string): void {
    this.#silence = why;
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
    req.url = target;
    const stranger = this.#options.guard?.refusal(req) ?? null;
    if (stranger !== null) {
      sendProxyError(res, 403, stranger.code, stranger.message);
      return;
    }
    const { known } = this.#options;
    if (known !== null) void this.#answerOrForward(known, req, res, target, expects);
    else this.#forward(req, res, target, expects, null);
  }

  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const target = requestTargetOf(req);
    const stranger = this.#options.guard?.refusal(req) ?? null;
    if (target === null) refuseOn(socket, 400, 'bad_target', `${req.url} is no path.`);
    else if (stranger !== null) refuseOn(socket, 403, stranger.code, stranger.message);
    else {
      req.url = target;
      this.#unseen(`An upgraded connection to ${target.split('?')[0]} passed unrecorded.`);
      this.#forwarder.upgrade(req, socket, head);
    }
  }

  connect(req: IncomingMessage, socket: Duplex): void {
    this.#unseen(
      `A client asked for a connection to ${req.url} through the proxy (CONNECT), and was refused.`,
    );
    refuseConnect(req, socket);
  }

  /** Notes what is no exchange: it counts as unrecorded. */
  #unseen(message: string): void {
    this.unrecorded += 1;
    this.upgraded += 1;
    if (!this.open) return;
    const note = this.#cassette.note({ note: 'remark', message });
    this.#options.onItem?.(note);
  }

  /** `body`: the whole of the request body, where it has been read already. */
  #forward(
    req: IncomingMessage,
    res: ServerResponse,
    target: string,
    expects: boolean,
    body: Buffer | null,
  ): void {
    const remote = remoteUrl(target);
    const forwarder =
      remote === null ? this.#forwarder : (this.#options.otherHosts?.forwarder(remote) ?? null);
    if (forwarder === null) {
      sendProxyError(
        res,
        403,
        'unknown_host',
        `No answer named ${target}. Only what the service named is fetched from elsewhere.`,
      );
      return;
    }
    const headers = forwarder.route(req);
    let listener: ExchangeListener;
    try {
      listener = this.#listener(req.method ?? 'GET', target, headers.headers);
    } catch (error) {
      sendProxyError(res, 500, 'not_recorded', messageOf(error));
      return;
    }
    const path = remote === null ? target : `${remote.pathname}${remote.search}`;
    forwarder.forward(req, res, { path, headers, listener, expects, body });
  }

  async #answerOrForward(
    known: Recordings,
    req: IncomingMessage,
    res: ServerResponse,
    target: string,
    expects: boolean,
  ): Promise<void> {
    try {
      if (expects) res.writeContinue();
      const body = await readWhole(req);
      if (body === null) return;
      const { redactor } = this.#cassette;
      const { headers } = this.#forwarder.route(req);
      const request = { method: req.method ?? 'GET', target, headers, body: Body.of(body) };
      const match = known.take(redactedRequest(request, redactor));
      if (match.kind === 'hit') {
        this.replayed += 1;
        const { cassette, k } = match.location;
        await playResponse(cassette.answer(k), req, res, {
          pace: Number.POSITIVE_INFINITY,
          chunking: { by: 'wire' },
        });
      } else this.#forward(req, res, target, false, body);
    } catch (error) {
      if (!res.headersSent)
        sendProxyError(res, error instanceof TooLarge ? 413 : 500, 'not_recorded', messageOf(error));
      else res.destroy();
    }
  }

  #listener(method: string, target: string, headers: HeaderPairs): ExchangeListener {
    const lost = () => {
      this.unrecorded += 1;
    };
    const begin = () => {
      if (!this.open) throw new Error('Recording has ended: nothing more is passed on.');
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

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Reads a request body into memory; null when the client leaves in the middle of it. Rejects with TooLarge. */
async function readWhole(req: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of req) {
      const bytes: Buffer = piece;
      pieces.push(bytes);
      size += bytes.length;
      if (size > MAX_KEPT_REQUEST_BYTES) {
        const message = `The request body is larger than ${MAX_KEPT_REQUEST_BYTES} bytes: too large to be compared with what is recorded. Record it with the mode record.`;
        throw new TooLarge(message);
      }
    }
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    return null;
  }
  return Buffer.concat(pieces);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
