import { createHash } from 'node:crypto';
import { Body } from './body.ts';
import { mediaType } from './content.ts';
import type { HeaderPairs } from './exchange.ts';
import { PartsReader } from './parts.ts';

/** A body that streams by and is not kept: its size, its digest, and the parts of a form. */
export class BodyDigest {
  readonly #hash = createHash('sha256');
  readonly #parts: PartsReader | null;
  #size = 0;

  /** `headers`: of the message whose body it is. */
  constructor(headers: HeaderPairs) {
    const boundary = mediaType(headers)?.boundary ?? null;
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
