import { createHash } from 'node:crypto';
import type { Json } from '../../schemas/json.ts';
import type { HeaderPairs } from './headers.ts';
import { parseBoundedJson } from './json-text.ts';

export type { Json } from '../../schemas/json.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Rejects most text that is not JSON without the cost of an exception. */
const JSON_BEGINS = /^[\t\n\r ]*(?:[{["\dtfn]|-\d)/;

/** Maximum size in bytes of a body that is parsed and judged. */
export const MAX_READ_BYTES = 64 * 1024 * 1024;

export interface FormDataPart {
  /** Field name; null if the part names none. */
  readonly name: string | null;
  /** Null for a field that is not a file. */
  readonly filename: string | null;
  /** Media type without parameters; null if the part names none. */
  readonly type: string | null;
  /** Names in lower case. */
  readonly headers: HeaderPairs;
  /** Content of the part; only its size and digest if it was not kept. */
  readonly body: Body;
}

/** Views that are known before the bytes are read. The caller guarantees that they agree with the bytes. */
export interface BodyViews {
  readonly text?: string;
  readonly json?: { readonly value: Json };
  readonly file?: string;
}

/** The bytes of a message, or their size and digest if they were not kept. Text and JSON are computed on first use. */
export class Body {
  static readonly empty = new Body(new Uint8Array(0), 0);
  /** Replaces the SHA-256 of unknown content. */
  static readonly unknownSha256 = '0'.repeat(64);
  /** Replaces the SHA-256 of a stream that was too long to be read. */
  static readonly unreadSha256 = 'f'.repeat(64);

  readonly size: number;
  /** Parts of a multipart body that was not kept; null for any other body. */
  readonly parts: readonly FormDataPart[] | null;
  /** Path of a file that holds exactly these bytes; null if there is none. */
  readonly file: string | null;
  #source: Uint8Array | (() => Uint8Array) | null;
  #sha256: string | null;
  #text: string | null | undefined;
  #json: { readonly value: Json } | null | undefined;

  private constructor(
    source: Uint8Array | (() => Uint8Array) | null,
    size: number,
    known: { readonly sha256?: string | null; readonly parts?: readonly FormDataPart[] | null } = {},
    views: BodyViews = {},
  ) {
    this.#source = source;
    this.size = size;
    this.#sha256 = known.sha256 ?? null;
    this.parts = known.parts ?? null;
    this.file = views.file ?? null;
    this.#text = views.text;
    this.#json = views.json;
  }

  static from(content: Uint8Array | string): Body {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return bytes.byteLength === 0 ? Body.empty : new Body(bytes, bytes.byteLength);
  }

  /** A body that was not kept. `sha256` is in hex, `size` in bytes. */
  static digest(sha256: string, size: number, parts: readonly FormDataPart[] | null = null): Body {
    return new Body(null, size, { sha256, parts });
  }

  /** Content that was sent but is missing from the recording. `size` is in bytes; 1 if it is unknown. */
  static unknown(size = 1): Body {
    return Body.digest(Body.unknownSha256, size);
  }

  /** A body that `load` reads on first use; `load` may throw. */
  static stored(sha256: string | null, size: number, load: () => Uint8Array, views?: BodyViews): Body {
    return new Body(load, size, { sha256 }, views);
  }

  /** A body that is too large to be read; `file` holds its bytes. */
  static unread(sha256: string, size: number, file: string): Body {
    return new Body(null, size, { sha256 }, { file });
  }

  /** False if only the digest was kept, or the body is too large to be read. Does not read the body. */
  get isKept(): boolean {
    return this.#source !== null;
  }

  /** Whether nothing is known about the content. */
  get isUnknown(): boolean {
    return this.#sha256 === Body.unknownSha256;
  }

  /** Null if only the digest was kept, or the body is too large to be read. */
  get bytes(): Uint8Array | null {
    if (typeof this.#source === 'function') this.#source = this.#source();
    return this.#source;
  }

  /** In hex; computed on first use. */
  get sha256(): string {
    this.#sha256 ??= createHash('sha256')
      .update(this.bytes ?? new Uint8Array(0))
      .digest('hex');
    return this.#sha256;
  }

  /** Null if `bytes` is null or not valid UTF-8. */
  get text(): string | null {
    if (this.#text === undefined) {
      const bytes = this.bytes;
      this.#text = bytes === null ? null : decode(bytes);
    }
    return this.#text;
  }

  /** Whether the JSON value is known although the bytes have not been loaded. */
  get isStoredAsJson(): boolean {
    return this.#json != null && typeof this.#source === 'function';
  }

  /** The JSON value in a box, because it may be null; null if `text` is null, is not JSON or is nested too deeply. */
  get json(): { readonly value: Json } | null {
    if (this.#json === undefined) this.#json = parse(this.text);
    return this.#json;
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function parse(text: string | null): { readonly value: Json } | null {
  return text === null || !JSON_BEGINS.test(text) ? null : parseBoundedJson(text);
}
