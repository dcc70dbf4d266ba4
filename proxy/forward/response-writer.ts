import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResponseHead } from '../../exchange/cassette/write/recording.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { firstHeader, flatHeaders } from '../../exchange/http/headers.ts';
import { writeHead } from '../upstream/head.ts';
import { refuseUnpassable, unpassable } from '../upstream/passable.ts';
import { endToEndHeaders } from '../upstream/upstream-headers.ts';
import type { UrlRewriter } from '../urls/url-rewriter.ts';
import { abortResponse } from './abort-response.ts';

/** The way back to the client: pieces as they come, the last one only together with the end. */
export class ResponseWriter {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #rewriter: UrlRewriter | null;
  /** The piece that completes a body of known length: with it the client would have its end. */
  #last: Buffer | null = null;
  #missing = Number.POSITIVE_INFINITY;
  #whole = false;
  /** Why the client gets an answer of our own in place of this one; null for nearly all. */
  #refusal: string | null = null;
  /** A body that is to be rewritten, as long as it is not whole; null when it is not. */
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

  /** `raw`: the fields once more, flat. */
  begin(head: ResponseHead, raw: readonly string[]): void {
    this.#refusal = unpassable(head.status, head.reason, head.headers.length);
    if (this.#refusal !== null) return;
    if (this.#rewriter?.wants(head)) {
      this.#held = { head, raw, pieces: [], size: 0 };
      return;
    }
    try {
      this.#head(head, raw);
    } catch (error) {
      this.#refusal = error instanceof Error ? error.message : String(error);
      return;
    }
    const length = firstHeader(head.headers, 'content-length');
    if (length !== null) this.#missing = Number(length);
    flushSoon(this);
  }

  /** False when the client takes no more for now; `drain` of the response tells when it does. */
  write(bytes: Buffer): boolean {
    if (this.#held !== null) return this.#hold(bytes);
    if (this.#refusal !== null) return true;
    this.#missing -= bytes.length;
    if (this.#missing > 0) return this.#res.write(bytes);
    this.#last = this.#last === null ? bytes : Buffer.concat([this.#last, bytes]);
    return true;
  }

  /** The upstream has said everything: head and body can go in one packet, with the end. */
  isWhole(): void {
    this.#whole = true;
  }

  flush(): void {
    if (!this.#whole && !this.#res.destroyed && !this.#res.writableEnded) this.#res.flushHeaders();
  }

  end(trailers: HeaderPairs): void {
    if (this.#refusal !== null) {
      refuseUnpassable(this.#res, this.#refusal);
      return;
    }
    if (this.#held !== null) this.#rewritten();
    if (trailers.length > 0)
      this.#res.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
    this.#res.end(this.#last ?? undefined);
  }

  /** Ends the response so that the client sees that there should be more; false when it has seen nothing yet. */
  cut(): boolean {
    if (this.#held !== null) this.#letGo();
    if (!this.#res.headersSent) return false;
    abortResponse(this.#req, this.#res);
    return true;
  }

  #head({ status, reason }: ResponseHead, raw: readonly string[]): void {
    this.#res.sendDate = false;
    writeHead(this.#req, this.#res, { status, reason, fields: endToEndHeaders(raw) });
  }

  #hold(bytes: Buffer): boolean {
    if (this.#held === null) return true;
    this.#held.pieces.push(bytes);
    this.#held.size += bytes.length;
    return this.#held.size <= LARGEST_REWRITTEN || this.#letGo();
  }

  /** Gives up rewriting: everything goes on as it came. */
  #letGo(): boolean {
    const held = this.#held;
    if (held === null) return true;
    this.#held = null;
    this.#head(held.head, held.raw);
    return this.#res.write(Buffer.concat(held.pieces));
  }

  #rewritten(): void {
    const held = this.#held;
    if (held === null || this.#rewriter === null) return;
    this.#held = null;
    const { headers, body } = this.#rewriter.rewrite(held.head.headers, Buffer.concat(held.pieces));
    this.#head(held.head, flatHeaders(headers));
    this.#last = body;
  }
}

const LARGEST_REWRITTEN = 16 * 1024 * 1024;

const unflushed: ResponseWriter[] = [];

/** Sends the heads of responses whose body does not come in the same turn of the event loop. */
function flushSoon(down: ResponseWriter): void {
  if (unflushed.push(down) > 1) return;
  setImmediate(() => {
    for (const waiting of unflushed.splice(0)) waiting.flush();
  });
}
