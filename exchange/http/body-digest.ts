import { createHash } from 'node:crypto';
import type { HeaderPairs } from '../exchange.ts';
import { Body } from './body.ts';
import { mediaTypeOf } from './content.ts';
import { FormDataReader } from './form-data-reader.ts';

/** A body that streams by and is not kept: its size, its digest, and the parts of a form. */
export class BodyDigest {
  readonly #hash = createHash('sha256');
  /** Null unless the body is a multipart form. */
  readonly #parts: FormDataReader | null;
  #size = 0;

  /** `headers`: of the message whose body it is. */
  constructor(headers: HeaderPairs) {
    const boundary = mediaTypeOf(headers)?.boundary ?? null;
    this.#parts = boundary === null ? null : new FormDataReader(boundary);
  }

  /** Adds bytes of the body. */
  push(piece: Uint8Array): void {
    this.#size += piece.length;
    this.#hash.update(piece);
    this.#parts?.push(piece);
  }

  /** A body with the digest, the size and the parts of all bytes. */
  finish(): Body {
    return Body.digest(this.#hash.digest('hex'), this.#size, this.#parts?.finish() ?? null);
  }
}
