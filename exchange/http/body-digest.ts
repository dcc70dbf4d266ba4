import { createHash } from 'node:crypto';
import { Body } from './body.ts';
import { mediaTypeOf } from './content.ts';
import { FormDataReader } from './form-data-reader.ts';
import type { HeaderPairs } from './headers.ts';

/** Size, digest and form parts of a streamed body that is not kept. */
export class BodyDigest {
  readonly #hash = createHash('sha256');
  /** Null if the content type has no boundary. */
  readonly #reader: FormDataReader | null;
  #size = 0;

  /** `boundary`: the one in the bytes, if it differs from that in the header; null if the body is not a form. */
  constructor(headers: HeaderPairs, boundary = mediaTypeOf(headers)?.boundary ?? null) {
    this.#reader = boundary === null ? null : new FormDataReader(boundary);
  }

  push(piece: Uint8Array): void {
    this.#size += piece.length;
    this.#hash.update(piece);
    this.#reader?.push(piece);
  }

  /** The body without its bytes; its `parts` are null unless it is a complete multipart form. */
  finish(): Body {
    return Body.digest(this.#hash.digest('hex'), this.#size, this.#reader?.finish() ?? null);
  }
}
