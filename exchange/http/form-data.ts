import { createHash, type Hash } from 'node:crypto';
import { type MultipartPart, parseMultipart } from '@remix-run/multipart-parser';
import { Body, type FormDataPart } from './body.ts';
import { decodedContent, type HttpMessage, mediaTypeOf } from './content.ts';
import type { HeaderPairs } from './headers.ts';

export type { FormDataPart } from './body.ts';

const forms = new WeakMap<HttpMessage, readonly FormDataPart[] | null>();

/** The parts of a multipart body, in order; null when it is not multipart, not kept, or malformed. */
export function formDataParts(message: HttpMessage): readonly FormDataPart[] | null {
  // Most messages are not multipart: a cache entry for them would cost more than this test.
  if (!mediaTypeOf(message.headers)?.essence.startsWith('multipart/')) return null;
  const known = forms.get(message);
  if (known !== undefined) return known;
  const parts = parse(message);
  forms.set(message, parts);
  return parts;
}

/** Parses the decoded body of a multipart message. */
function parse(message: HttpMessage): readonly FormDataPart[] | null {
  const boundary = mediaTypeOf(message.headers)?.boundary ?? null;
  const content = decodedContent(message);
  // Of parts that were kept instead of the bytes no boundary is needed: some recorders do not write it down.
  if (content?.bytes === null) return content.parts;
  return boundary === null || content === null ? null : parseFormData(content.bytes, boundary);
}

/** The parts of a multipart body with this boundary, or null when it is malformed. */
export function parseFormData(bytes: Uint8Array, boundary: string): readonly FormDataPart[] | null {
  const limits = { maxFileSize: Number.POSITIVE_INFINITY, maxHeaderSize: 64 * 1024, maxParts: 10_000 };
  try {
    return [...parseMultipart(bytes, { boundary, ...limits })].map(part);
  } catch {
    return null;
  }
}

/** A part in our form. */
function part(parsed: MultipartPart): FormDataPart {
  return {
    name: parsed.name ?? null,
    filename: parsed.filename ?? null,
    type: parsed.mediaType ?? null,
    headers: Object.entries(parsed.headers).map(([name, value]) => [name, value ?? ''] as const),
    body: Body.of(parsed.bytes),
  };
}

/** A field of a form (not a file) is kept as text up to this many bytes, also where the form itself is not kept. */
export const MAX_FIELD_BYTES = 64 * 1024;
/** Largest header of a part. Bytes. */
const HEADER_LIMIT = 64 * 1024;
const HEADER_END = Buffer.from('\r\n\r\n');
const DASHES = '--';

/** Reads the parts of a form that streams by, in bounded memory: names, types, sizes and digests. */
export class FormDataReader {
  readonly #boundary: string;
  readonly #delimiter: Buffer;
  readonly #parts: FormDataPart[] = [];
  /** Bytes that may be the beginning of a delimiter; the first one has no line break before it, so one is put there. */
  #held: Buffer = Buffer.from('\r\n');
  #state: 'before' | 'delimited' | 'header' | 'content' | 'after' | 'malformed' = 'before';
  #open: OpenPart | null = null;

  constructor(boundary: string) {
    this.#boundary = boundary;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** Reads the next bytes of the form. */
  push(piece: Uint8Array): void {
    let bytes: Buffer | null = Buffer.concat([this.#held, piece]);
    while (bytes !== null) {
      this.#held = bytes;
      bytes = this.#step(bytes);
    }
  }

  /** The parts, or null when the form was malformed or cut short. */
  finish(): readonly FormDataPart[] | null {
    return this.#state === 'after' ? this.#parts : null;
  }

  /** Reads on; gives what is left to read, or null when more bytes are needed (they wait in `#held`). */
  #step(bytes: Buffer): Buffer | null {
    switch (this.#state) {
      case 'before':
      case 'content':
        return this.#content(bytes);
      case 'delimited':
        return this.#delimited(bytes);
      case 'header':
        return this.#header(bytes);
      case 'after':
      case 'malformed':
        this.#held = Buffer.alloc(0);
        return null;
    }
  }

  /** Reads content up to the next delimiter. */
  #content(bytes: Buffer): Buffer | null {
    const at = bytes.indexOf(this.#delimiter);
    const until = at === -1 ? Math.max(0, bytes.length - this.#delimiter.length + 1) : at;
    if (this.#state === 'before' && until > 0) return this.#malformed();
    this.#open?.push(bytes.subarray(0, until));
    this.#held = bytes.subarray(until);
    if (at === -1) return null;
    if (this.#open !== null) this.#parts.push(this.#open.finish());
    this.#open = null;
    this.#state = 'delimited';
    return bytes.subarray(at + this.#delimiter.length);
  }

  #delimited(bytes: Buffer): Buffer | null {
    if (bytes.length < 2) return null;
    const next = bytes.toString('latin1', 0, 2);
    if (next !== DASHES && next !== '\r\n') return this.#malformed();
    this.#state = next === DASHES ? 'after' : 'header';
    return bytes.subarray(2);
  }

  #header(bytes: Buffer): Buffer | null {
    const at = bytes.indexOf(HEADER_END);
    if (at === -1) return bytes.length > HEADER_LIMIT ? this.#malformed() : null;
    const delimiter = Buffer.from(`--${this.#boundary}\r\n`);
    const close = Buffer.from(`\r\n--${this.#boundary}--`);
    const alone = Buffer.concat([delimiter, bytes.subarray(0, at), HEADER_END, close]);
    const [part] = parseFormData(alone, this.#boundary) ?? [];
    if (part === undefined) return this.#malformed();
    this.#open = new OpenPart(part);
    this.#state = 'content';
    return bytes.subarray(at + HEADER_END.length);
  }

  #malformed(): null {
    this.#state = 'malformed';
    this.#held = Buffer.alloc(0);
    return null;
  }
}

/** A part whose content is on its way. */
class OpenPart {
  readonly #head: FormDataPart;
  readonly #hash: Hash = createHash('sha256');
  #size = 0;
  /** The content of a field as long as it is small. */
  #kept: Buffer[] | null;

  constructor(head: FormDataPart) {
    this.#head = head;
    this.#kept = head.filename === null ? [] : null;
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    this.#hash.update(bytes);
    this.#kept?.push(Buffer.from(bytes));
    if (this.#size > MAX_FIELD_BYTES) this.#kept = null;
  }

  finish(): FormDataPart {
    const digest = () => Body.digest(this.#hash.digest('hex'), this.#size);
    return { ...this.#head, body: this.#kept === null ? digest() : Body.of(Buffer.concat(this.#kept)) };
  }
}

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
