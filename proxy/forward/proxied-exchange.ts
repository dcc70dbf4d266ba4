import type { ClientRequest, IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import type { RecordedEnding, ResponseHead } from '../../exchange/cassette/recording.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { firstHeader, flatHeaders, headerPairs } from '../../exchange/http/headers.ts';

import { tlsErrorMessage } from '../../exchange/http/tls-error.ts';
import { errorCode, messageOf } from '../../schemas/error-message.ts';
import {
  abortResponse,
  endToEndHeaders,
  isReset,
  refuseUnpassable,
  resetConnection,
  unpassable,
  writeHead,
} from '../http/response.ts';
import { sendProxyError } from '../http/server.ts';
import type { UrlRewriter } from '../http/url-rewriter.ts';

/** Receives the parts of one exchange as they pass, in this order. An error that it throws stops the exchange. */
export interface ExchangeListener {
  requestBody(bytes: Buffer): void;
  requestEnd(): void;
  /** The response head; not called if the service did not respond. */
  response(head: ResponseHead): void;
  /** A piece of the response body, as it arrived. */
  piece(bytes: Buffer): void;
  /** Called when the exchange is over; the client gets the end of the response when the promise resolves. */
  end(end: RecordedEnding): Promise<unknown>;
}

/**
 * One request on its way through the proxy, and its response. Invariants: every piece is forwarded as it arrives, at the pace of
 * the slower side; when one side disconnects, the other side is disconnected; the client gets the end of the response only
 * after the listener has stored it.
 */
export class ProxiedExchange {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #listener: ExchangeListener;
  readonly #writer: ResponseWriter;
  #outgoing: ClientRequest | null = null;
  #incoming: IncomingMessage | null = null;
  /** Whether the request body passes through `pipe`; `#close` must then keep reading it. */
  #isPiped = false;
  /** True once the ending is decided; later events of either side are ignored. */
  #isOver = false;
  /** Code of an error after a complete response; stored with it. */
  #detail: string | null = null;

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    listener: ExchangeListener,
    rewriter: UrlRewriter | null,
  ) {
    this.#req = req;
    this.#res = res;
    this.#listener = listener;
    this.#writer = new ResponseWriter(req, res, rewriter);
    res.on('close', () => {
      if (!res.writableFinished) this.#clientLeft();
    });
  }

  /** Sends the request body to the upstream, with back-pressure, and passes it to the listener. */
  pipe<T extends NodeJS.WritableStream>(outgoing: T): T {
    const req = this.#req;
    this.#isPiped = true;
    req.on('data', (bytes: Buffer) => {
      if (!this.#isOver && !outgoing.write(bytes)) {
        req.pause();
        outgoing.once('drain', () => req.resume());
      }
      this.#recordBody(bytes);
    });
    req.on('end', () => {
      // Trailers are forwarded; the cassette format does not store request trailers.
      if (!this.#isOver && req.rawTrailers.length > 0)
        this.#outgoing?.addTrailers(mutablePairs(headerPairs(req.rawTrailers)));
      if (!this.#isOver) outgoing.end();
      this.#recordBody(null);
    });
    return outgoing;
  }

  /** Passes the request body to the listener while another consumer reads it, or immediately if it has been read. */
  record(body: Buffer | null): void {
    if (body === null) {
      this.#req.on('data', (bytes: Buffer) => this.#recordBody(bytes));
      this.#req.on('end', () => this.#recordBody(null));
      return;
    }
    if (body.length > 0) this.#recordBody(body);
    this.#recordBody(null);
  }

  /** Records bytes of the request body; null marks its end. */
  #recordBody(bytes: Buffer | null): void {
    if (this.#isOver) return;
    try {
      if (bytes === null) this.#listener.requestEnd();
      else this.#listener.requestBody(bytes);
    } catch (error) {
      this.#stop(error);
    }
  }

  /** Called when http-proxy has opened the request to the upstream. */
  attach(outgoing: ClientRequest): void {
    this.#outgoing = outgoing;
    if (this.#isOver) outgoing.destroy();
  }

  /** Called when the upstream sent `100 Continue`: the client may send its body. */
  continueRequest(): void {
    if (!this.#isOver) this.#res.writeContinue();
  }

  /**
   * Forwards an informational response (102, 103, …), unless the client uses HTTP/1.0, which does not know them, or a pipelined
   * request before it still occupies the connection. Cassettes do not store them.
   */
  forwardInformation({ statusCode, statusMessage, rawHeaders }: InformationEvent): void {
    const { socket, headersSent } = this.#res;
    // 100 and 101 concern one connection: `Expect` is handled separately, and no upgrade was requested.
    if (this.#isOver || statusCode === 100 || statusCode === 101 || this.#req.httpVersionMinor === 0) return;
    // The status is known to be 1xx; 200 stands in for it, so that the reason phrase and the fields are checked.
    if (socket === null || headersSent || unpassable(200, statusMessage, rawHeaders.length / 2) !== null)
      return;
    const fields = headerPairs(rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${fields.join('')}\r\n`, 'latin1');
  }

  /** Handles an unrequested switch of protocols: a response without a body, on a connection that becomes unusable. */
  receiveSwitch(incoming: IncomingMessage): void {
    if (this.#begin(incoming)) this.#complete();
  }

  receive(incoming: IncomingMessage): void {
    if (!this.#begin(incoming)) return;
    incoming.on('data', (bytes: Buffer) => this.#piece(bytes));
    incoming.on('end', () => this.#complete());
    incoming.on('error', (error) => this.fail(error));
    incoming.on('close', () => {
      if (!incoming.complete) this.fail(new Error('the connection closed in the middle of the body'));
    });
  }

  /** Stores and forwards the response head; false if the exchange is over or the listener failed. */
  #begin(incoming: IncomingMessage): boolean {
    if (this.#isOver) return false;
    this.#incoming = incoming;
    const { statusCode: status = 0, statusMessage: reason = '', rawHeaders } = incoming;
    const head = { status, reason, headers: headerPairs(rawHeaders) };
    try {
      this.#listener.response(head);
      this.#writer.begin(head, rawHeaders);
      return true;
    } catch (error) {
      this.#stop(error);
      return false;
    }
  }

  /** Called if the upstream cannot be reached, timed out, disconnected, or sent invalid HTTP. */
  fail(error: Error): void {
    if (this.#isOver) return;
    const code = errorCode(error);
    if (this.#incoming?.complete === true) {
      // Bytes after a complete response, such as after a 204, are not part of it.
      this.#detail = code;
      return;
    }
    // Bytes that arrived in the same packet as the fault belong to the response.
    if (this.#incoming?.destroyed === false) while (this.#incoming.read() !== null);
    // http-proxy reports a client that disconnects during its request in the same way.
    const { destroyed, complete, socket } = this.#req;
    if (socket.destroyed || (destroyed && !complete)) {
      this.#clientLeft();
      return;
    }
    const fault = faultOf(error, code);
    const how = fault.code === 'upstream_timeout' ? 'upstream-timeout' : 'upstream-reset';
    this.#finish({ how, detail: fault.detail }, () => {
      if (!this.#writer.cut()) reportFault(this.#res, fault);
    });
    this.#outgoing?.destroy();
  }

  #piece(bytes: Buffer): void {
    if (this.#isOver) return;
    if (!this.#writer.write(bytes)) {
      this.#incoming?.pause();
      this.#res.once('drain', () => this.#incoming?.resume());
    }
    try {
      this.#listener.piece(bytes);
    } catch (error) {
      this.#stop(error);
    }
  }

  /** Ends a response that arrived completely; trailers come last. */
  #complete(): void {
    this.#writer.markComplete();
    const trailers = headerPairs(this.#incoming?.rawTrailers ?? []);
    this.#finish({ how: 'complete', trailers, detail: this.#detail }, () => {
      this.#writer.end(trailers);
      // After a response to a request that was not sent completely, the connection cannot be reused.
      if (this.#outgoing?.writableFinished === false) this.#outgoing.destroy();
    });
  }

  /** Handles a client that disconnected: disconnects the upstream too, so that the service notices. */
  #clientLeft(): void {
    if (this.#isOver) return;
    this.#finish({ how: 'client-abort' }, () => {});
    this.#outgoing?.destroy();
  }

  /** Ends the exchange once: first for the listener, then for the client. */
  #finish(end: RecordedEnding, endResponse: () => void): void {
    if (this.#isOver) return;
    this.#close();
    try {
      this.#listener
        .end(end)
        .then(endResponse)
        .catch((error: unknown) => this.#stop(error));
    } catch (error) {
      // The listener writes synchronously, so it can throw instead of rejecting.
      this.#stop(error);
    }
  }

  /** Stops an exchange whose listener failed: it is not recorded, so it must not continue. */
  #stop(error: unknown): void {
    this.#close();
    this.#outgoing?.destroy();
    if (!this.#writer.cut())
      sendProxyError(this.#res, { status: 500, code: 'not_recorded', message: messageOf(error) });
  }

  /** Stops forwarding. The rest of the request is still read, because some clients read no response before they have sent all of it. */
  #close(): void {
    this.#isOver = true;
    if (this.#isPiped && !this.#req.readableEnded) this.#req.resume();
  }
}

/** Maximum size in bytes of a body whose URLs are rewritten. */
const LARGEST_REWRITTEN = 16 * 1024 * 1024;

/**
 * Writes the response to the client: pieces as they arrive, but the last one only together with the end, so that a client never has
 * a complete response that is not in the cassette yet.
 */
class ResponseWriter {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #rewriter: UrlRewriter | null;
  /** The piece that completes a body of known length; held back, because it ends the response for the client. */
  #last: Buffer | null = null;
  /** Bytes of a body of known length that have not arrived. */
  #missing = Number.POSITIVE_INFINITY;
  /** Whether the upstream has sent the complete response. */
  #isComplete = false;
  /** Why this response cannot be passed on and is replaced by a proxy error; null otherwise. */
  #refusal: string | null = null;
  /** The body so far, if it is collected to rewrite its URLs; null if it is passed on as it arrives. */
  #held: {
    readonly head: ResponseHead;
    readonly raw: readonly string[];
    pieces: Buffer[];
    size: number;
  } | null = null;

  constructor(req: IncomingMessage, res: ServerResponse, rewriter: UrlRewriter | null) {
    this.#req = req;
    this.#res = res;
    this.#rewriter = rewriter;
  }

  /** Begins the response. `raw`: its fields as node's flat list (name, value, name, value). */
  begin(head: ResponseHead, raw: readonly string[]): void {
    this.#refusal = unpassable(head.status, head.reason, head.headers.length);
    if (this.#refusal !== null) return;
    if (this.#rewriter?.applies(head)) {
      this.#held = { head, raw, pieces: [], size: 0 };
      return;
    }
    try {
      this.#writeHead(head, raw);
    } catch (error) {
      this.#refusal = messageOf(error);
      return;
    }
    const length = firstHeader(head.headers, 'content-length');
    if (length !== null) this.#missing = Number(length);
    flushSoon(this);
  }

  /** Writes a piece of the body. Returns false if the client accepts no more until the response emits `drain`. */
  write(bytes: Buffer): boolean {
    if (this.#held !== null) {
      this.#held.pieces.push(bytes);
      this.#held.size += bytes.length;
      return this.#held.size <= LARGEST_REWRITTEN || this.#releaseHeld();
    }
    if (this.#refusal !== null) return true;
    this.#missing -= bytes.length;
    if (this.#missing > 0) return this.#res.write(bytes);
    this.#last = this.#last === null ? bytes : Buffer.concat([this.#last, bytes]);
    return true;
  }

  /** The upstream has sent the complete response: head and body can leave in one packet, with the end. */
  markComplete(): void {
    this.#isComplete = true;
  }

  /** Sends the head, unless the end of the response is about to send it. */
  flush(): void {
    if (!this.#isComplete && !this.#res.destroyed && !this.#res.writableEnded) this.#res.flushHeaders();
  }

  /** Ends the response: a held body is rewritten and sent, an unpassable response is replaced by an error. */
  end(trailers: HeaderPairs): void {
    if (this.#refusal !== null) {
      refuseUnpassable(this.#res, this.#refusal);
      return;
    }
    if (this.#held !== null && this.#rewriter !== null) {
      const { head, pieces } = this.#held;
      const { headers, body } = this.#rewriter.rewrite(head.headers, Buffer.concat(pieces));
      this.#writeHead(head, flatHeaders(headers));
      this.#last = body;
    }
    if (trailers.length > 0) this.#res.addTrailers(mutablePairs(trailers));
    this.#res.end(this.#last ?? undefined);
  }

  /** Ends the response so that it is visibly incomplete. Returns false if the client has received none of it yet. */
  cut(): boolean {
    this.#releaseHeld();
    if (!this.#res.headersSent) return false;
    abortResponse(this.#req, this.#res);
    return true;
  }

  #writeHead({ status, reason }: ResponseHead, raw: readonly string[]): void {
    this.#res.sendDate = false;
    writeHead(this.#req, this.#res, { status, reason, fields: endToEndHeaders(raw) });
  }

  /** Stops rewriting: the body is passed on unchanged. Returns what `write` returns. */
  #releaseHeld(): boolean {
    const held = this.#held;
    if (held === null) return true;
    this.#held = null;
    this.#writeHead(held.head, held.raw);
    return this.#res.write(Buffer.concat(held.pieces));
  }
}

/** Node's types require mutable arrays. */
function mutablePairs(headers: HeaderPairs): [string, string][] {
  return headers.map(([name, value]) => [name, value]);
}

/** Responses of this turn of the event loop whose head is not sent yet; one callback serves them all. */
const unflushed: ResponseWriter[] = [];

/** Sends the heads of responses whose body does not arrive in the same turn of the event loop. */
function flushSoon(writer: ResponseWriter): void {
  if (unflushed.push(writer) > 1) return;
  setImmediate(() => {
    for (const waiting of unflushed.splice(0)) waiting.flush();
  });
}

/** The upstream sent nothing for longer than the configured timeout. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
}

/** Why an upstream sent no complete response. */
export interface ForwardingFault {
  /** Code of the proxy error that the client gets. */
  readonly code: 'upstream_timeout' | 'upstream_reset' | 'upstream_invalid' | 'upstream_unreachable';
  /** Stored in the cassette: the error's code, or why TLS failed. */
  readonly detail: string;
  /** Shown to the client. */
  readonly message: string;
}

/** Classifies a transport error. `code`: the error's `code`, null if it has none. */
export function faultOf(error: Error, code: string | null): ForwardingFault {
  const { message } = error;
  if (error instanceof UpstreamTimeout)
    return { code: 'upstream_timeout', detail: message, message: `The upstream did not answer: ${message}.` };
  const tls = tlsErrorMessage(error);
  const detail = tls ?? code ?? message;
  if (tls === null && isReset(code))
    return { code: 'upstream_reset', detail, message: `The upstream closed the connection: ${message}.` };
  if (code?.startsWith('HPE_') === true)
    return {
      code: 'upstream_invalid',
      detail,
      message: `The upstream answered, but not as HTTP allows: ${message} (${code}).`,
    };
  return {
    code: 'upstream_unreachable',
    detail,
    message: `The upstream cannot be reached: ${tls ?? message}.`,
  };
}

/** Reports a fault to a client that has received no response byte: a reset as a reset, other faults as a proxy error. */
function reportFault(res: ServerResponse, { code, message }: ForwardingFault): void {
  if (code === 'upstream_reset' && resetConnection(res)) return;
  sendProxyError(res, { status: statusOfFault(code), code, message });
}

/** The HTTP status that reports a fault of the upstream. */
export function statusOfFault(code: ForwardingFault['code']): 502 | 504 {
  return code === 'upstream_timeout' ? 504 : 502;
}
