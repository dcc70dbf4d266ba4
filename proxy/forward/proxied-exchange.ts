import type { ClientRequest, IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import type { RecordedEnding } from '../../exchange/cassette/write/recording.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import type { ExchangeListener } from '../record/exchange-listener.ts';
import { passInformation } from '../upstream/information.ts';
import type { UrlRewriter } from '../urls/url-rewriter.ts';
import { faultOf, refuseFault } from './fault.ts';
import { sendProxyError } from './proxy-error.ts';
import { ResponseWriter } from './response-writer.ts';

/**
 * One request on its way through: every piece goes on as it comes, at the pace of the slower side; whoever leaves, the
 * other side is told; the client gets its end only when the listener has it.
 */
export class ProxiedExchange {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #listener: ExchangeListener;
  readonly #down: ResponseWriter;
  #outgoing: ClientRequest | null = null;
  #incoming: IncomingMessage | null = null;
  #isPiped = false;
  #over = false;
  /** What is to be known of a complete answer beside itself. */
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

  /** Sends the request body to the upstream, at its pace, and listens to it. */
  pipe<T extends NodeJS.WritableStream>(outgoing: T): T {
    const req = this.#req;
    this.#isPiped = true;
    req.on('data', (bytes: Buffer) => {
      if (!this.#over && !outgoing.write(bytes)) {
        req.pause();
        outgoing.once('drain', () => req.resume());
      }
      this.#hear(bytes);
    });
    req.on('end', () => {
      // Trailers pass; a cassette has no place for those of a request.
      if (!this.#over && req.rawTrailers.length > 0) this.#outgoing?.addTrailers(trailersOf(req));
      if (!this.#over) outgoing.end();
      this.#hear(null);
    });
    return outgoing;
  }

  /** Listens to the request body, which something else must read, or takes it where it was read already. */
  listen(body: Buffer | null): void {
    if (body === null) {
      this.#req.on('data', (bytes: Buffer) => this.#hear(bytes));
      this.#req.on('end', () => this.#hear(null));
      return;
    }
    if (body.length > 0) this.#hear(body);
    this.#hear(null);
  }

  /** Further bytes of the request body; null at its end. */
  #hear(bytes: Buffer | null): void {
    if (this.#over) return;
    try {
      if (bytes === null) this.#listener.requestEnd();
      else this.#listener.requestBody(bytes);
    } catch (error) {
      this.#stop(error);
    }
  }

  /** The request to the upstream is on its way. */
  sent(outgoing: ClientRequest): void {
    this.#outgoing = outgoing;
    if (this.#over) outgoing.destroy();
  }

  /** The upstream wants the body that the client holds back. */
  goOn(): void {
    if (!this.#over) this.#res.writeContinue();
  }

  /** The upstream says something before it answers (1xx), which goes on. */
  informed(information: InformationEvent): void {
    if (!this.#over) passInformation(this.#req, this.#res, information);
  }

  /** The upstream switches protocols, which nobody asked for: an answer without a body, on a connection that is of no use. */
  switched(incoming: IncomingMessage): void {
    if (this.#begin(incoming)) this.#complete();
  }

  /** The upstream answers. */
  answered(incoming: IncomingMessage): void {
    if (!this.#begin(incoming)) return;
    incoming.on('data', (bytes: Buffer) => this.#piece(bytes));
    incoming.on('end', () => this.#complete());
    incoming.on('error', (error) => this.failed(error));
    incoming.on('close', () => {
      if (!incoming.complete) this.failed(new Error('the connection closed in the middle of the body'));
    });
  }

  /** Takes the head of the answer; false where it goes no further. */
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

  /** The upstream cannot be reached, went silent, died, or does not speak HTTP. */
  failed(error: Error): void {
    if (this.#over) return;
    const code = 'code' in error ? String(error.code) : null;
    if (this.#incoming?.complete === true) {
      // The answer is whole: of what follows it, as bytes after a 204, HTTP says that it is not part of it.
      this.#detail = code;
      return;
    }
    // What came in one packet with the fault has come.
    if (this.#incoming?.destroyed === false) while (this.#incoming.read() !== null);
    // http-proxy tells of a client that leaves in the middle of its request in the same way.
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

  #complete(): void {
    this.#down.isWhole();
    const trailers = headerPairs(this.#incoming?.rawTrailers ?? []);
    this.#finish({ how: 'complete', trailers, detail: this.#detail }, () => {
      this.#down.end(trailers);
      // An upstream that answers before it has read the request leaves a connection that nobody can use.
      if (this.#outgoing?.writableFinished === false) this.#outgoing.destroy();
    });
  }

  #clientLeft(): void {
    if (this.#over) return;
    this.#finish({ how: 'client-abort' }, () => {});
    this.#outgoing?.destroy();
  }

  /** Tells the listener the end, once, and then the client. */
  #finish(end: RecordedEnding, tellClient: () => void): void {
    if (this.#over) return;
    this.#close();
    try {
      this.#listener
        .end(end)
        .then(tellClient)
        .catch((error: unknown) => this.#stop(error));
    } catch (error) {
      // What is written at the end is written at once.
      this.#stop(error);
    }
  }

  /** The listener failed: the traffic stops. */
  #stop(error: unknown): void {
    this.#close();
    this.#outgoing?.destroy();
    if (!this.#down.cut())
      sendProxyError(this.#res, 500, 'not_recorded', error instanceof Error ? error.message : String(error));
  }

  /** Nothing passes any more. What the client still sends is read all the same: some read no answer before they have sent it. */
  #close(): void {
    this.#over = true;
    if (this.#isPiped && !this.#req.readableEnded) this.#req.resume();
  }
}

function trailersOf({ rawTrailers }: IncomingMessage): [string, string][] {
  return headerPairs(rawTrailers).map(([name, value]) => [name, value]);
}
