import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResponseHead } from '../../exchange/cassette/recording.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { firstHeader, flatHeaders } from '../../exchange/http/headers.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { writeHead } from '../upstream/head.ts';
import { refuseUnpassable, unpassable } from '../upstream/passable.ts';
import { endToEndHeaders } from '../upstream/upstream-headers.ts';
import type { UrlRewriter } from '../urls/url-rewriter.ts';
import { abortResponse } from './abort-response.ts';

/**
 * Writes the response to the client: pieces as they arrive, the last one only together with the end, so that a client never
 * has a complete response that is not in the cassette yet.
 */
export class ResponseWriter {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #rewriter: UrlRewriter | null;
  /** The piece that completes a body of known length; held back, because it ends the response for the client. */
  #last: Buffer | null = null;
  /** Bytes of a body of known length that have not arrived. */
  #missing = Number.POSITIVE_INFINITY;
  /** The upstream has sent the complete response. */
  #whole = false;
  /** Why this response cannot be passed on and is replaced by a proxy error; null otherwise. */
  #refusal: string | null = null;
  /** The body so far, while it is collected to rewrite its URLs; null when it is passed on as it arrives. */
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

  /** Takes the response head. `raw`: its fields as node's flat list (name, value, name, value). */
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
      this.#refusal = messageOf(error);
      return;
    }
    const length = firstHeader(head.headers, 'content-length');
    if (length !== null) this.#missing = Number(length);
    flushSoon(this);
  }

  /** Writes a piece of the body; false while the client accepts no more, until `drain` of the response. */
  write(bytes: Buffer): boolean {
    if (this.#held !== null) return this.#hold(bytes);
    if (this.#refusal !== null) return true;
    this.#missing -= bytes.length;
    if (this.#missing > 0) return this.#res.write(bytes);
    this.#last = this.#last === null ? bytes : Buffer.concat([this.#last, bytes]);
    return true;
  }

  /** The upstream has sent the complete response: head and body can leave in one packet, with the end. */
  markWhole(): void {
    this.#whole = true;
  }

  /** Sends the head if nothing else is about to send it. */
  flush(): void {
    if (!this.#whole && !this.#res.destroyed && !this.#res.writableEnded) this.#res.flushHeaders();
  }

  /** Ends the response: a held body is rewritten and sent, an unpassable response is replaced by an error. */
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

  /** Ends the response visibly incomplete; false when the client has received nothing of it yet. */
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

  /** Stops rewriting: the body is passed on unchanged. */
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

/** Larger bodies are passed on unchanged. Bytes. */
const LARGEST_REWRITTEN = 16 * 1024 * 1024;

/** Responses of this turn whose head is not sent yet; one callback serves them all. */
const unflushed: ResponseWriter[] = [];

/** Sends the heads of responses whose body does not arrive in the same turn of the event loop. */
function flushSoon(down: ResponseWriter): void {
  if (unflushed.push(down) > 1) return;
  setImmediate(() => {
    for (const waiting of unflushed.splice(0)) waiting.flush();
  });
}
