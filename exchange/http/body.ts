import { createHash } from 'node:crypto';
import type { Json } from '../../schemas/json.ts';
import type { HeaderPairs } from './headers.ts';
import { parseBoundedJson } from './json-text.ts';

export type { Json } from '../../schemas/json.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A part of a `multipart/form-data` body. */
export interface FormDataPart {
  readonly name: string | null;
  /** Null for a field that is not a file. */
  readonly filename: string | null;
  /** Its media type without parameters; null when it names none. */
  readonly type: string | null;
  /** Names in lower case. */
  readonly headers: HeaderPairs;
  readonly body: Body;
}

/** Views of the bytes that are known before the bytes are read. The caller guarantees that they agree with the bytes. */
export interface BodyViews {
  readonly text?: string;
  readonly json?: { readonly value: Json };
  /** A file that holds the bytes and nothing else. */
  readonly file?: string;
}

/**
 * The bytes of a message, or, where they were too large to keep, their size and digest.
 * Views (text, JSON) are made when first asked for and kept.
 */
export class Body {
  static readonly empty = new Body(new Uint8Array(0), 0);
  /** Stands for the SHA-256 of content of which nothing is known, as in recordings that leave it out. */
  static readonly unknownSha256 = '0'.repeat(64);

  /** In bytes. */
  readonly size: number;
  /** The parts of a multipart body that was not kept (each a digest itself where it is large); null for any other. */
  readonly parts: readonly FormDataPart[] | null;
  /** The file that holds the bytes and nothing else; null for most. */
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

  /** A body of bytes, or of the UTF-8 of a text. */
  static of(content: Uint8Array | string): Body {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return bytes.byteLength === 0 ? Body.empty : new Body(bytes, bytes.byteLength);
  }

  /** A body that was seen but not kept: `sha256` in hex, `size` in bytes. */
  static digest(sha256: string, size: number, parts: readonly FormDataPart[] | null = null): Body {
    return new Body(null, size, { sha256, parts });
  }

  /** Content that was sent but is not in the recording. `size`: bytes, where the recording states it; else 1. */
  static unknown(size = 1): Body {
    return Body.digest(Body.unknownSha256, size);
  }

  /** A body that is read when it is first asked for. `load` may throw. `views`: what is known of it before. */
  static stored(sha256: string | null, size: number, load: () => Uint8Array, views?: BodyViews): Body {
    return new Body(load, size, { sha256 }, views);
  }

  /** False when only the digest was kept. Costs nothing, where `bytes` may have to read or to make them. */
  get isKept(): boolean {
    return this.#source !== null;
  }

  /** True where nothing is known of the content, its size included. */
  get isUnknown(): boolean {
    return this.#sha256 === Body.unknownSha256;
  }

  /** The bytes, or null when only the digest was kept. */
  get bytes(): Uint8Array | null {
    if (typeof this.#source === 'function') this.#source = this.#source();
    return this.#source;
  }

  /** SHA-256 of the bytes, in hex; computed at the first call. */
  get sha256(): string {
    this.#sha256 ??= createHash('sha256')
      .update(this.bytes ?? new Uint8Array(0))
      .digest('hex');
    return this.#sha256;
  }

  /** The body as text, or null when it was not kept or is not valid UTF-8. */
  get text(): string | null {
    if (this.#text === undefined) {
      const bytes = this.bytes;
      this.#text = bytes === null ? null : decode(bytes);
    }
    return this.#text;
  }

  /** Whether it is known to be JSON before its bytes are made. */
  get isStoredAsJson(): boolean {
    return this.#json != null && typeof this.#source === 'function';
  }

  /** The body as JSON in a box (the value may itself be null), or null when it is not JSON, or is nested too deeply. */
  get json(): { readonly value: Json } | null {
    if (this.#json === undefined) this.#json = parse(this.text);
    return this.#json;
  }
}

/** UTF-8 text; null where the bytes are not valid. */
function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Beginning of a JSON text. Most other texts are recognised by it without an exception: forms begin with two dashes. */
const JSON_BEGINS = /^[\t\n\r ]*(?:[{["\dtfn]|-\d)/;

/** Parses JSON; null for other text and for text that is nested too deeply. */
function parse(text: string | null): { readonly value: Json } | null {
  return text === null || !JSON_BEGINS.test(text) ? null : parseBoundedJson(text);
}
