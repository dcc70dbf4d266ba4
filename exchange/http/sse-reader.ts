import type { Json } from './body.ts';
import { parseBoundedJson } from './json-text.ts';

const LF = 10;
const CR = 13;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Lines of at least this many bytes, and data of at least this many UTF-16 code units, are truncated: no service needs
 * them, and an endless line would exhaust the memory.
 */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Maximum number of data lines kept per event: even empty ones take memory. */
const MAX_LINES = 500_000;
const MAX_NAMED_LINES = 8;
const KEPT_BEGINNING = 1024;
const MAX_BUFFER_BYTES = 1024 * 1024;
/** Maximum number of events in a stream that is read: each takes far more memory than its bytes. */
const MAX_EVENTS = 500_000;
const STEP_BYTES = 1024 * 1024;

/** An event stream as section 9.2 of the HTML standard defines it. */
export interface EventStream {
  /** Complete events with data, in order. */
  readonly events: readonly SseEvent[];
  /** The incomplete event after the last blank line; null if it has no field. */
  readonly rest: SseEvent | null;
}

/** Null if there are too many events to keep. */
export function readEvents(bytes: Uint8Array): EventStream | null {
  const reader = new SseReader();
  const events: SseEvent[] = [];
  for (let from = 0; from < bytes.length; from += STEP_BYTES) {
    for (const event of reader.push(bytes.subarray(from, from + STEP_BYTES))) events.push(event);
    if (events.length > MAX_EVENTS) return null;
  }
  const { events: last, rest } = reader.finish();
  return { events: [...events, ...last], rest };
}

export class SseEvent {
  /** Ordinal in its stream, from 1. */
  readonly n: number;
  /** Empty if the event has no name. */
  readonly event: string;
  /** The data lines, joined by line feeds. */
  readonly data: string;
  /** Value of the event's last valid `id` line; null if it has none. */
  readonly id: string | null;
  /** The field names of the first lines, without comments. */
  readonly fields: readonly string[];
  /** Byte offset in the stream of its first line, which may be a comment. */
  readonly start: number;
  /** Byte offset after its blank line; for an incomplete event, the end of the stream. */
  readonly end: number;
  /** Whether a line or the data is too long, or there are too many lines; `data` is then truncated and `json` null. */
  readonly isTooLong: boolean;
  #json: { readonly value: Json } | null | undefined;

  constructor({ name, lines, id, fields, start, isTooLong }: Block, n: number, end: number) {
    const data = lines.join('\n');
    this.n = n;
    this.event = name;
    this.data = isTooLong ? data.slice(0, KEPT_BEGINNING) : data;
    this.id = id;
    this.fields = fields;
    this.start = start;
    this.end = end;
    this.isTooLong = isTooLong;
  }

  get json(): { readonly value: Json } | null {
    if (this.#json === undefined) this.#json = this.isTooLong ? null : parseBoundedJson(this.data);
    return this.#json;
  }
}

/**
 * Reads an event stream (WHATWG HTML, server-sent events) piece by piece, in linear time regardless of the pieces.
 * Ignores comments, unknown fields and events without data, as the standard says. If a blank line ends with CR, the
 * next byte decides where the event ends, so that offsets do not depend on the pieces.
 */
export class SseReader {
  #line = new Uint8Array(256);
  #length = 0;
  #offset = 0;
  #count = 0;
  /** Whether the last byte was CR, after which LF would belong to the same line break. */
  #isAfterCr = false;
  /** Whether the block is complete, but waits for the byte after CR. */
  #isHeld = false;
  #block = new Block(0);

  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    if (this.#isAfterCr && bytes.length > 0) {
      this.#isAfterCr = false;
      if (bytes[0] === LF) from = 1;
      if (this.#isHeld) this.#close(this.#offset + from, events);
    }
    for (let at = findLineBreak(bytes, from); at !== -1; at = findLineBreak(bytes, from)) {
      this.#append(bytes, from, at);
      const isBlank = this.#endLine();
      const isLastCr = bytes[at] === CR && at + 1 === bytes.length;
      from = bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
      if (isLastCr) {
        this.#isAfterCr = true;
        this.#isHeld = isBlank;
      } else if (isBlank) this.#close(this.#offset + from, events);
    }
    this.#append(bytes, from, bytes.length);
    this.#offset += bytes.length;
    return events;
  }

  /** Returns the event that waited for one more byte, and the incomplete event, which a strict reader drops. */
  finish(): { readonly events: SseEvent[]; readonly rest: SseEvent | null } {
    const events: SseEvent[] = [];
    if (this.#isHeld) this.#close(this.#offset, events);
    if (this.#length > 0) this.#endLine();
    const rest =
      this.#block.fields.length === 0 ? null : new SseEvent(this.#block, this.#count + 1, this.#offset);
    return { events, rest };
  }

  #append(bytes: Uint8Array, from: number, to: number): void {
    const needed = Math.min(MAX_LINE_BYTES, this.#length + to - from);
    if (needed > this.#line.length) {
      const larger = new Uint8Array(Math.max(needed, this.#line.length * 2));
      larger.set(this.#line.subarray(0, this.#length));
      this.#line = larger;
    }
    this.#line.set(bytes.subarray(from, from + needed - this.#length), this.#length);
    this.#length = needed;
  }

  #endLine(): boolean {
    const isCut = this.#length === MAX_LINE_BYTES;
    let line = decoder.decode(this.#line.subarray(0, isCut ? KEPT_BEGINNING : this.#length));
    this.#length = 0;
    if (this.#line.length > MAX_BUFFER_BYTES) this.#line = new Uint8Array(256);
    if (this.#block.start === 0 && this.#block.isUntouched && line.startsWith('\uFEFF')) {
      line = line.slice(1);
      this.#block = new Block(3);
    }
    if (line === '') return true;
    this.#block.addField(line, isCut);
    return false;
  }

  #close(end: number, events: SseEvent[]): void {
    this.#isHeld = false;
    const block = this.#block;
    this.#block = new Block(end);
    if (block.lines.length === 0) return;
    this.#count += 1;
    events.push(new SseEvent(block, this.#count, end));
  }
}

class Block {
  readonly start: number;
  isUntouched = true;
  isTooLong = false;
  name = '';
  readonly lines: string[] = [];
  id: string | null = null;
  readonly fields: string[] = [];
  #size = 0;

  constructor(start: number) {
    this.start = start;
  }

  addField(line: string, isCut: boolean): void {
    this.isUntouched = false;
    const colon = line.indexOf(':');
    if (colon === 0) return; // a comment
    if (isCut) this.isTooLong = true;
    const name = colon === -1 ? line : line.slice(0, colon);
    if (this.fields.length < MAX_NAMED_LINES) this.fields.push(name);
    const skip = line[colon + 1] === ' ' ? 2 : 1;
    const value = colon === -1 ? '' : line.slice(colon + skip);
    if (name === 'data') this.#addData(value);
    else if (name === 'event') this.name = value;
    else if (name === 'id' && !value.includes('\0')) this.id = value;
  }

  #addData(value: string): void {
    this.#size += value.length + 1;
    if (this.#size > MAX_LINE_BYTES || this.lines.length === MAX_LINES) this.isTooLong = true;
    else this.lines.push(value);
  }
}

function findLineBreak(bytes: Uint8Array, from: number): number {
  for (let i = from; i < bytes.length; i += 1) if (bytes[i] === LF || bytes[i] === CR) return i;
  return -1;
}
