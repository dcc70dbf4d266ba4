import type { ClientRequest, IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import type { RecordedEnding } from '../../exchange/cassette/recording.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { errorCode, messageOf } from '../../schemas/error-message.ts';
import type { ExchangeListener } from '../record/exchange-listener.ts';
import { passInformation } from '../upstream/information.ts';
import type { UrlRewriter } from '../urls/url-rewriter.ts';
import { faultOf, refuseFault } from './fault.ts';
import { sendProxyError } from './proxy-error.ts';
import { ResponseWriter } from './response-writer.ts';

/**
 * One request on its way through the proxy, and its response. Invariants: every piece is forwarded as it arrives, at the pace of
 * the slower side; when one side disconnects, the other side is disconnected; the client gets the end of the response only
 * after the listener has stored it.
 */
export class ProxiedExchange {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #listener: ExchangeListener;
  readonly #down: ResponseWriter;
  #outgoing: ClientRequest | null = null;
  #incoming: IncomingMessage | null = null;
  /** Whether the request body passes through `pipe`, so that `#close` has to keep reading it. */
  #isPiped = false;
  /** True once the ending is decided; later events of either side are ignored. */
  #over = false;
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
    this.#down = new ResponseWriter(req, res, rewriter);
    res.on('close', () => {
      if (!res.writableFinished) this.#clientLeft();
    });
  }

  /** Sends the request body to the upstream, with back-pressure, and passes it to the listener. */
  pipe<T extends NodeJS.WritableStream>(outgoing: T): T {
    const req = this.#req;
    this.#isPiped = true;
    req.on('data', (bytes: Buffer) => {
      if (!this.#over && !outgoing.write(bytes)) {
        req.pause();
        outgoing.once('drain', () => req.resume());
      }
      this.#listen(bytes);
    });
    req.on('end', () => {
      // Trailers are forwarded; the cassette format does not store those of a request.
      if (!this.#over && req.rawTrailers.length > 0) this.#outgoing?.addTrailers(trailersOf(req));
      if (!this.#over) outgoing.end();
      this.#listen(null);
    });
    return outgoing;
  }

  /** Passes the request body to the listener while another consumer reads it, or at once where it has been read. */
  listen(body: Buffer | null): void {
    if (body === null) {
      this.#req.on('data', (bytes: Buffer) => this.#listen(bytes));
      this.#req.on('end', () => this.#listen(null));
      return;
    }
    if (body.length > 0) this.#listen(body);
    this.#listen(null);
  }

  /** Further bytes of the request body; null at its end. */
  #listen(bytes: Buffer | null): void {
    if (this.#over) return;
    try {
      if (bytes === null) this.#listener.requestEnd();
      else this.#listener.requestBody(bytes);
    } catch (error) {
      this.#stop(error);
    }
  }

  /** http-proxy has opened the request to the upstream. */
  sent(outgoing: ClientRequest): void {
    this.#outgoing = outgoing;
    if (this.#over) outgoing.destroy();
  }

  /** The upstream sent `100 Continue`: the client may send its body. */
  goOn(): void {
    if (!this.#over) this.#res.writeContinue();
  }

  /** Forwards an informational response (1xx). */
  informed(information: InformationEvent): void {
    if (!this.#over) passInformation(this.#req, this.#res, information);
  }

  /** The upstream switches protocols without having been asked: a response without a body, on an unusable connection. */
  switched(incoming: IncomingMessage): void {
    if (this.#begin(incoming)) this.#complete();
  }

  /** The head of the response has arrived. */
  answered(incoming: IncomingMessage): void {
    if (!this.#begin(incoming)) return;
    incoming.on('data', (bytes: Buffer) => this.#piece(bytes));
    incoming.on('end', () => this.#complete());
    incoming.on('error', (error) => this.failed(error));
    incoming.on('close', () => {
      if (!incoming.complete) this.failed(new Error('the connection closed in the middle of the body'));
    });
  }

  /** Stores and forwards the response head; false where the exchange is over or the listener failed. */
  #begin(incoming: IncomingMessage): boolean {
    if (this.#over) return false;
    this.#incoming = incoming;
    const { statusCode: status = 0, statusMessage: reason = '', rawHeaders } = incoming;
    const head = { status, reason, headers: headerPairs(rawHeaders) };
    try {
      this.#listener.response(head);
      this.#down.begin(head, rawHeaders);
      return true;
    } catch (error) {
      this.#stop(error);
      return false;
    }
  }

  /** The upstream cannot be reached, timed out, disconnected, or sent invalid HTTP. */
  failed(error: Error): void {
    if (this.#over) return;
    const code = errorCode(error);
    if (this.#incoming?.complete === true) {
      // The response is complete: by HTTP, bytes after it (as after a 204) are not part of it.
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
      if (!this.#down.cut()) refuseFault(this.#res, fault);
    });
    this.#outgoing?.destroy();
  }

  #piece(bytes: Buffer): void {
    if (this.#over) return;
    if (!this.#down.write(bytes)) {
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
    this.#down.markWhole();
    const trailers = headerPairs(this.#incoming?.rawTrailers ?? []);
    this.#finish({ how: 'complete', trailers, detail: this.#detail }, () => {
      this.#down.end(trailers);
      // After a response to a request that was not sent completely, the connection cannot be reused.
      if (this.#outgoing?.writableFinished === false) this.#outgoing.destroy();
    });
  }

  /** The client disconnected: the upstream is disconnected too, as a service does when it notices. */
  #clientLeft(): void {
    if (this.#over) return;
    this.#finish({ how: 'client-abort' }, () => {});
    this.#outgoing?.destroy();
  }

  /** Ends the exchange once: first for the listener, then for the client. */
  #finish(end: RecordedEnding, endResponse: () => void): void {
    if (this.#over) return;
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

  /** The listener failed: the exchange is not recorded, so it must not continue. */
  #stop(error: unknown): void {
    this.#close();
    this.#outgoing?.destroy();
    if (!this.#down.cut())
      sendProxyError(this.#res, { status: 500, code: 'not_recorded', message: messageOf(error) });
  }

  /** Forwards nothing more. The rest of the request is still read: some clients read no response before they have sent it. */
  #close(): void {
    this.#over = true;
    if (this.#isPiped && !this.#req.readableEnded) this.#req.resume();
  }
}

function trailersOf({ rawTrailers }: IncomingMessage): [string, string][] {
  return headerPairs(rawTrailers).map(([name, value]) => [name, value]);
}
