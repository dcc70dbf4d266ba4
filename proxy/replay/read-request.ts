import type { IncomingMessage } from 'node:http';
import { MAX_KEPT_REQUEST_BYTES } from '../../exchange/cassette/cassette-writer.ts';
import type { HeaderPairs, HttpRequest } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { BodyDigest } from '../../exchange/http/form-data.ts';
import { headerPairs } from '../../exchange/http/headers.ts';
import type { ByteFilter, Redactor } from '../../exchange/redaction/redactor.ts';
import { requestBodyFilter } from '../record/redacted-request.ts';

/**
 * Reads a request as a cassette stores it (secrets replaced, large bodies as digest and parts), and calls `onRequest` in the
 * turn of the event loop in which it is complete; never where the client disconnects before that.
 */
export function readRequest(
  req: IncomingMessage,
  target: string,
  redactor: Redactor,
  onRequest: (request: HttpRequest) => void,
): void {
  const raw = headerPairs(req.rawHeaders);
  const headers = redactor.headers(raw);
  const body = new BodyReader(raw, redactor);
  req.on('data', (piece: Buffer) => body.push(piece));
  req.on('end', () => {
    const read = body.finish();
    onRequest({ method: req.method ?? 'GET', target: redactor.target(target), headers, body: read });
  });
  req.on('error', ignore);
}

/** A client that disconnects needs no response. */
const ignore = () => {};

/** Collects a request body; beyond the size that cassettes keep, only its digest and parts. */
class BodyReader {
  readonly #headers: HeaderPairs;
  readonly #filter: ByteFilter;
  readonly #pieces: Uint8Array[] = [];
  #size = 0;
  /** Takes over once the body is too large to be kept; null until then. */
  #digest: BodyDigest | null = null;

  constructor(headers: HeaderPairs, redactor: Redactor) {
    this.#headers = headers;
    this.#filter = requestBodyFilter(headers, redactor);
  }

  /** Takes a piece as it arrives. Secrets are replaced here, as when recording, so that keys are equal. */
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
    if (this.#size <= MAX_KEPT_REQUEST_BYTES || this.#digest !== null) return;
    this.#digest = new BodyDigest(this.#headers);
    for (const kept of this.#pieces.splice(0)) this.#digest.push(kept);
  }
}

const EMPTY = new Uint8Array(0);
