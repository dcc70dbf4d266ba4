import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Body } from '../exchange/body.ts';
import { KEEP_REQUESTS } from '../exchange/cassette/write.ts';
import { mediaType } from '../exchange/content.ts';
import type { HeaderPairs, HttpRequest } from '../exchange/exchange.ts';
import { pairs } from '../exchange/headers.ts';
import { PartsReader } from '../exchange/parts.ts';
import type { Redactor } from '../exchange/redact.ts';
import { bodyFilter } from './redacted.ts';

/**
 * Reads a request as a cassette would have kept it: secrets replaced, large bodies as digest and parts. Null when the
 * client leaves in the middle of it.
 */
export async function incoming(
  req: IncomingMessage,
  target: string,
  redactor: Redactor,
): Promise<HttpRequest | null> {
  const raw = pairs(req.rawHeaders);
  const headers = redactor.headers(raw);
  const body = await readBody(req, raw, redactor);
  return body && { method: req.method ?? 'GET', target: redactor.target(target), headers, body };
}

function readBody(req: IncomingMessage, headers: HeaderPairs, redactor: Redactor): Promise<Body | null> {
  return new Promise((resolve) => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    let digest: Digest | null = null;
    const filter = bodyFilter(headers, redactor);
    const push = (piece: Uint8Array) => {
      size += piece.length;
      if (digest === null) pieces.push(piece);
      else digest.push(piece);
      if (size <= KEEP_REQUESTS || digest !== null) return;
      digest = new Digest(mediaType(headers)?.boundary ?? null);
      for (const kept of pieces.splice(0)) digest.push(kept);
    };
    req.on('data', (piece: Buffer) => push(filter.push(piece)));
    req.on('end', () => {
      push(filter.finish());
      resolve(digest === null ? Body.of(Buffer.concat(pieces)) : digest.finish());
    });
    req.on('close', () => resolve(null));
    req.on('error', () => resolve(null));
  });
}

/** A body too large to keep. */
class Digest {
  readonly #hash = createHash('sha256');
  readonly #parts: PartsReader | null;
  #size = 0;

  constructor(boundary: string | null) {
    this.#parts = boundary === null ? null : new PartsReader(boundary);
  }

  push(piece: Uint8Array): void {
    this.#size += piece.length;
    this.#hash.update(piece);
    this.#parts?.push(piece);
  }

  finish(): Body {
    return Body.digest(this.#hash.digest('hex'), this.#size, this.#parts?.finish() ?? null);
  }
}
