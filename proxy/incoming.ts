import type { IncomingMessage } from 'node:http';
import { Body } from '../exchange/body.ts';
import { KEEP_REQUESTS } from '../exchange/cassette/write.ts';
import { BodyDigest } from '../exchange/digest.ts';
import type { HeaderPairs, HttpRequest } from '../exchange/exchange.ts';
import { pairs } from '../exchange/headers.ts';
import type { ByteFilter, Redactor } from '../exchange/redact.ts';
import { bodyFilter } from './redacted.ts';

/**
 * Reads a request as a cassette would have kept it (secrets replaced, large bodies as digest and parts), and hands it on in
 * the same turn in which it is whole. Nobody hears of a request that its client leaves in the middle.
 */
export function incoming(
  req: IncomingMessage,
  target: string,
  redactor: Redactor,
  onRequest: (request: HttpRequest) => void,
): void {
  const raw = pairs(req.rawHeaders);
  const headers = redactor.headers(raw);
  const body = new BodyReader(raw, redactor);
  req.on('data', (piece: Buffer) => body.push(piece));
  req.on('end', () => {
    const read = body.finish();
    onRequest({ method: req.method ?? 'GET', target: redactor.target(target), headers, body: read });
  });
  req.on('error', ignore);
}

const ignore = () => {};

class BodyReader {
  readonly #headers: HeaderPairs;
  readonly #filter: ByteFilter;
  readonly #pieces: Uint8Array[] = [];
  #size = 0;
  #digest: BodyDigest | null = null;

  constructor(headers: HeaderPairs, redactor: Redactor) {
    this.#headers = headers;
    this.#filter = bodyFilter(headers, redactor);
  }

  push(piece: Uint8Array): void {
    this.#keep(this.#filter.push(piece));
  }

  finish(): Body {
    this.#keep(this.#filter.finish());
    if (this.#digest !== null) return this.#digest.finish();
    const [first = EMPTY, ...more] = this.#pieces;
    return Body.of(more.length === 0 ? first : Buffer.concat(this.#pieces));
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    if (this.#digest === null) this.#pieces.push(bytes);
    else this.#digest.push(bytes);
    if (this.#size <= KEEP_REQUESTS || this.#digest !== null) return;
    this.#digest = new BodyDigest(this.#headers);
    for (const kept of this.#pieces.splice(0)) this.#digest.push(kept);
  }
}

const EMPTY = new Uint8Array(0);
