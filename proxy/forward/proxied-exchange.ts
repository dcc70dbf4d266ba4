import type { ClientRequest, IncomingMessage, InformationEvent, ServerResponse } from 'node:http';
import type { RecordedEnding, ResponseHead } from '../../exchange/cassette/recording.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import { errorCode, messageOf } from '../../schemas/error-message.ts';
import { sendProxyError } from '../http/proxy-error.ts';
import { findUnpassablePart } from '../http/unpassable.ts';
import type { UrlRewriter } from '../http/url-rewriter.ts';
import { faultOf, reportFault } from './forwarding-fault.ts';
import { mutablePairs, ResponseWriter } from './response-writer.ts';

/**
 * The response may begin before the request ends. An error that a listener throws stops the exchange; the listener is
 * then not called again.
 */
export interface ExchangeListener {
  requestBody(bytes: Buffer): void;
  requestEnd(): void;
  response(head: ResponseHead): void;
  piece(bytes: Buffer): void;
  /** Called when the exchange is over; the client gets the end of the response when the promise resolves. */
  end(end: RecordedEnding): Promise<unknown>;
}

/** Passes a request and its response between two connections; the listener gets both as received, before rewriting. */
export class ProxiedExchange {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #listener: ExchangeListener;
  readonly #writer: ResponseWriter;
  #outgoing: ClientRequest | null = null;
  #incoming: IncomingMessage | null = null;
  /** Whether the request body passes through `pipe`; `#close` must then keep reading it. */
  #isPiped = false;
  #isEnded = false;
  #lateErrorCode: string | null = null;

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
      if (!res.writableFinished) this.#abortForClient();
    });
  }

  pipe<T extends NodeJS.WritableStream>(outgoing: T): T {
    const req = this.#req;
    this.#isPiped = true;
    req.on('data', (bytes: Buffer) => {
      if (!this.#isEnded && !outgoing.write(bytes)) {
        req.pause();
        outgoing.once('drain', () => req.resume());
      }
      this.#recordBody(bytes);
    });
    req.on('end', () => {
      // Trailers are forwarded; the cassette format does not store request trailers.
      if (!this.#isEnded && req.rawTrailers.length > 0)
        this.#outgoing?.addTrailers(mutablePairs(headerPairs(req.rawTrailers)));
      if (!this.#isEnded) outgoing.end();
      this.#recordBody(null);
    });
    return outgoing;
  }

  record(body: Buffer): void {
    if (body.length > 0) this.#recordBody(body);
    this.#recordBody(null);
  }

  #recordBody(bytes: Buffer | null): void {
    if (this.#isEnded) return;
    try {
      if (bytes === null) this.#listener.requestEnd();
      else this.#listener.requestBody(bytes);
    } catch (error) {
      this.#stop(error);
    }
  }

  attach(outgoing: ClientRequest): void {
    this.#outgoing = outgoing;
    if (this.#isEnded) outgoing.destroy();
  }

  continueRequest(): void {
    if (!this.#isEnded) this.#res.writeContinue();
  }

  /**
   * Forwards an informational response (102, 103, …), unless it is malformed or late, the client uses HTTP/1.0, which
   * does not know it, or an earlier pipelined request still occupies the connection. Cassettes do not store it.
   */
  forwardInformation({ statusCode, statusMessage, rawHeaders }: InformationEvent): void {
    const { socket, headersSent } = this.#res;
    // `continueRequest` forwards 100, and `receiveProtocolSwitch` handles 101.
    if (this.#isEnded || statusCode === 100 || statusCode === 101 || this.#req.httpVersionMinor === 0) return;
    if (socket === null || headersSent) return;
    // Passes 200 in place of the status, which is known to be 1xx, so that only the other arguments are checked.
    if (findUnpassablePart(200, statusMessage, rawHeaders.length / 2) !== null) return;
    const fields = headerPairs(rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${fields.join('')}\r\n`, 'latin1');
  }

  /** Handles an unrequested switch of protocols: a response without a body, on a connection that becomes unusable. */
  receiveProtocolSwitch(incoming: IncomingMessage): void {
    if (this.#beginResponse(incoming)) this.#completeResponse();
  }

  receive(incoming: IncomingMessage): void {
    if (!this.#beginResponse(incoming)) return;
    incoming.on('data', (bytes: Buffer) => this.#passPiece(bytes));
    incoming.on('end', () => this.#completeResponse());
    incoming.on('error', (error) => this.fail(error));
    incoming.on('close', () => {
      if (!incoming.complete) this.fail(new Error('the connection closed in the middle of the body'));
    });
  }

  #beginResponse(incoming: IncomingMessage): boolean {
    if (this.#isEnded) return false;
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

  fail(error: Error): void {
    if (this.#isEnded) return;
    if (this.#incoming?.complete === true) {
      // Bytes after a complete response, such as after a 204, are not part of it.
      this.#lateErrorCode = errorCode(error);
      return;
    }
    // Bytes that arrived in the same packet as the fault belong to the response.
    if (this.#incoming?.destroyed === false) while (this.#incoming.read() !== null);
    // http-proxy reports a client that disconnects during its request in the same way.
    const { destroyed, complete, socket } = this.#req;
    if (socket.destroyed || (destroyed && !complete)) {
      this.#abortForClient();
      return;
    }
    const fault = faultOf(error);
    const how = fault.code === 'upstream_timeout' ? 'upstream-timeout' : 'upstream-reset';
    this.#finish({ how, detail: fault.detail }, () => {
      if (!this.#writer.cut()) reportFault(this.#res, fault);
    });
    this.#outgoing?.destroy();
  }

  #passPiece(bytes: Buffer): void {
    if (this.#isEnded) return;
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

  #completeResponse(): void {
    this.#writer.markComplete();
    const trailers = headerPairs(this.#incoming?.rawTrailers ?? []);
    this.#finish({ how: 'complete', trailers, detail: this.#lateErrorCode }, () => {
      this.#writer.end(trailers);
      // After a response to a request that was not sent completely, the connection cannot be reused.
      if (this.#outgoing?.writableFinished === false) this.#outgoing.destroy();
    });
  }

  /** Ends the exchange of a client that disconnected; also disconnects the upstream, so that the service notices. */
  #abortForClient(): void {
    if (this.#isEnded) return;
    this.#finish({ how: 'client-abort' }, () => {});
    this.#outgoing?.destroy();
  }

  /** Ends the exchange once: first for the listener, then for the client. */
  #finish(end: RecordedEnding, endResponse: () => void): void {
    if (this.#isEnded) return;
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

  /** Stops an exchange whose listener failed, so that nothing more of it passes unrecorded. */
  #stop(error: unknown): void {
    this.#close();
    this.#outgoing?.destroy();
    if (!this.#writer.cut())
      sendProxyError(this.#res, { status: 500, code: 'not_recorded', message: messageOf(error) });
  }

  /** Stops forwarding. The rest of the request is still read, as some clients send all of it before they read. */
  #close(): void {
    this.#isEnded = true;
    if (this.#isPiped && !this.#req.readableEnded) this.#req.resume();
  }
}
