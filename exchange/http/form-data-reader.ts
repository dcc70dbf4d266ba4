import { createHash, type Hash } from 'node:crypto';
import { Body, type FormDataPart } from './body.ts';
import { MAX_FIELD_BYTES, MAX_FORM_PARTS, MAX_HEADER_BYTES, parseFormData } from './form-data.ts';

const HEADER_END = Buffer.from('\r\n\r\n');
const DASHES = '--';

/** Keeps the heads, sizes and digests of the parts, and the content of small fields only. */
export class FormDataReader {
  readonly #boundary: string;
  readonly #delimiter: Buffer;
  readonly #parts: FormDataPart[] = [];
  /** Bytes not yet read. The first delimiter follows no line break, so the buffer starts with one. */
  #pending: Buffer = Buffer.from('\r\n');
  #state: 'before' | 'delimited' | 'header' | 'content' | 'after' | 'malformed' = 'before';
  #open: OpenPart | null = null;

  constructor(boundary: string) {
    this.#boundary = boundary;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  push(piece: Uint8Array): void {
    let bytes: Buffer | null = Buffer.concat([this.#pending, piece]);
    while (bytes !== null) {
      this.#pending = bytes;
      bytes = this.#step(bytes);
    }
  }

  /** Null unless a whole form within the limits was read. */
  finish(): readonly FormDataPart[] | null {
    return this.#state === 'after' ? this.#parts : null;
  }

  /** Returns the bytes left to read; null if they wait in `#pending` for more, or if nothing more is read. */
  #step(bytes: Buffer): Buffer | null {
    switch (this.#state) {
      case 'before':
      case 'content':
        return this.#readContent(bytes);
      case 'delimited':
        return this.#readDelimiterEnd(bytes);
      case 'header':
        return this.#readHeader(bytes);
      case 'after':
      case 'malformed':
        this.#pending = Buffer.alloc(0);
        return null;
    }
  }

  #readContent(bytes: Buffer): Buffer | null {
    const at = bytes.indexOf(this.#delimiter);
    const until = at === -1 ? Math.max(0, bytes.length - this.#delimiter.length + 1) : at;
    if (this.#state === 'before' && until > 0) return this.#fail();
    this.#open?.push(bytes.subarray(0, until));
    this.#pending = bytes.subarray(until);
    if (at === -1) return null;
    if (this.#open !== null) this.#parts.push(this.#open.finish());
    this.#open = null;
    this.#state = 'delimited';
    return bytes.subarray(at + this.#delimiter.length);
  }

  #readDelimiterEnd(bytes: Buffer): Buffer | null {
    if (bytes.length < 2) return null;
    const next = bytes.toString('latin1', 0, 2);
    if (next !== DASHES && next !== '\r\n') return this.#fail();
    this.#state = next === DASHES ? 'after' : 'header';
    return bytes.subarray(2);
  }

  #readHeader(bytes: Buffer): Buffer | null {
    if (this.#parts.length === MAX_FORM_PARTS) return this.#fail();
    const at = bytes.indexOf(HEADER_END);
    if (at === -1) return bytes.length > MAX_HEADER_BYTES ? this.#fail() : null;
    const delimiter = Buffer.from(`--${this.#boundary}\r\n`);
    const closingDelimiter = Buffer.from(`\r\n--${this.#boundary}--`);
    const emptyPart = Buffer.concat([delimiter, bytes.subarray(0, at), HEADER_END, closingDelimiter]);
    const [part] = parseFormData(emptyPart, this.#boundary) ?? [];
    if (part === undefined) return this.#fail();
    this.#open = new OpenPart(part);
    this.#state = 'content';
    return bytes.subarray(at + HEADER_END.length);
  }

  #fail(): null {
    this.#state = 'malformed';
    this.#pending = Buffer.alloc(0);
    return null;
  }
}

class OpenPart {
  readonly #head: FormDataPart;
  readonly #hash: Hash = createHash('sha256');
  #size = 0;
  /** Null for a file and for a field that is too large to keep. */
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
    const content = this.#kept === null ? null : Body.from(Buffer.concat(this.#kept));
    return { ...this.#head, body: content ?? Body.digest(this.#hash.digest('hex'), this.#size) };
  }
}
