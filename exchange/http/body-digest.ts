import { createHash } from 'node:crypto';
import { Body } from './body.ts';
import { mediaTypeOf } from './content.ts';
import { FormDataReader } from './form-data-reader.ts';
import type { HeaderPairs } from './headers.ts';

export class BodyDigest {
  readonly #hash = createHash('sha256');
  readonly #reader: FormDataReader | null;
  #size = 0;

  constructor(headers: HeaderPairs, boundary = mediaTypeOf(headers)?.boundary ?? null) {
    this.#reader = boundary === null ? null : new FormDataReader(boundary);
  }

  push(piece: Uint8Array): void {
    this.#size += piece.length;
    this.#hash.update(piece);
    this.#reader?.push(piece);
  }

  finish(): Body {
    return Body.digest(this.#hash.digest('hex'), this.#size, this.#reader?.finish() ?? null);
  }
}
