import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResponseHead } from '../../exchange/cassette/recording.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { abortResponse, endToEndHeaders, writeHead } from '../http/response.ts';
import { findUnpassablePart, refuseUnpassable } from '../http/unpassable.ts';
import type { UrlRewriter } from '../http/url-rewriter.ts';

const MAX_REWRITTEN_BYTES = 16 * 1024 * 1024;

/** Only `end` completes the response, so that the caller can store the exchange before the client has all of it. */
export class ResponseWriter {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #rewriter: UrlRewriter | null;
  /** The piece that completes a body of known length; held back, because it ends the response for the client. */
  #lastPiece: Buffer | null = null;
  #missingBytes = Number.POSITIVE_INFINITY;
  #isComplete = false;
  #refusal: string | null = null;
  /** The response so far, while it is collected to rewrite its URLs; null if it is passed on as it arrives. */
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

  begin(head: ResponseHead, raw: readonly string[]): void {
    this.#refusal = findUnpassablePart(head.status, head.reason, head.headers.length);
    if (this.#refusal !== null) return;
    const length = firstHeader(head.headers, 'content-length');
    if (length !== null) this.#missingBytes = Number(length);
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
    flushSoon(this);
  }

  /** Returns false if the client accepts no more until the response emits `drain`. */
  write(bytes: Buffer): boolean {
    if (this.#held !== null) {
      this.#held.pieces.push(bytes);
      this.#held.size += bytes.length;
      return this.#held.size > MAX_REWRITTEN_BYTES ? this.#releaseHeld() : true;
    }
    if (this.#refusal !== null) return true;
    this.#missingBytes -= bytes.length;
    if (this.#missingBytes > 0) return this.#res.write(bytes);
    this.#lastPiece = this.#lastPiece === null ? bytes : Buffer.concat([this.#lastPiece, bytes]);
    return true;
  }

  /** Notes that the upstream has sent the complete response, so that head, body and end can leave in one packet. */
  markComplete(): void {
    this.#isComplete = true;
  }

  /** Sends the head, unless the end of the response is about to send it. */
  flush(): void {
    if (!this.#isComplete && !this.#res.destroyed && !this.#res.writableEnded) this.#res.flushHeaders();
  }

  end(trailers: HeaderPairs): void {
    if (this.#refusal !== null) {
      refuseUnpassable(this.#res, this.#refusal);
      return;
    }
    let lastPiece = this.#lastPiece;
    if (this.#held !== null && this.#rewriter !== null) {
      const { head, pieces } = this.#held;
      const { headers, body } = this.#rewriter.rewrite(head.headers, Buffer.concat(pieces));
      this.#writeHead(head, headers.flat());
      lastPiece = body;
    }
    if (trailers.length > 0) this.#res.addTrailers(mutablePairs(trailers));
    this.#res.end(lastPiece ?? undefined);
  }

  /** Ends the response so that it is visibly incomplete. Returns false if its head has not been written. */
  cut(): boolean {
    this.#releaseHeld();
    if (!this.#res.headersSent) return false;
    abortResponse(this.#res);
    return true;
  }

  #writeHead({ status, reason }: ResponseHead, raw: readonly string[]): void {
    this.#res.sendDate = false;
    writeHead(this.#req, this.#res, { status, reason, fields: endToEndHeaders(raw) });
  }

  #releaseHeld(): boolean {
    const held = this.#held;
    if (held === null) return true;
    this.#held = null;
    this.#writeHead(held.head, held.raw);
    return this.write(Buffer.concat(held.pieces));
  }
}

export function mutablePairs(headers: HeaderPairs): [string, string][] {
  return headers.map(([name, value]) => [name, value]);
}

/** Writers that began in this turn of the event loop; one callback flushes them all. */
const unflushedWriters: ResponseWriter[] = [];

function flushSoon(writer: ResponseWriter): void {
  if (unflushedWriters.push(writer) > 1) return;
  setImmediate(() => {
    for (const waiting of unflushedWriters.splice(0)) waiting.flush();
  });
}
