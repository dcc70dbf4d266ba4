import type { Json } from '../http/body.ts';
import { type SseEvent, SseReader } from '../http/sse-reader.ts';
import type { ByteFilter } from './byte-filter.ts';
import { jsonPathName } from './json-path-name.ts';
import { jsonStrings } from './json-strings.ts';
import type { Tail } from './pattern.ts';
import type { LongValue, Replacer } from './replacer.ts';
import { JoinedText, type SpelledText } from './spelled-text.ts';

/** Maximum size in bytes of an event that is held back until complete; a longer one is redacted only as plain bytes. */
const MAX_EVENT_BYTES = 1024 * 1024;
const MAX_IDLE_EVENTS = 256;
/** Maximum number of watched places; beyond it, the one that has gone longest without new text is dropped. */
const MAX_PLACES = 256;
const EMPTY = new Uint8Array(0);
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const DATA_FIELD = Buffer.from('data');
const OFFSETS = Uint32Array.from({ length: 16 * 1024 }, (_, i) => i);
const WIDTHS = new Uint8Array(OFFSETS.length).fill(1);

/**
 * Redacts an event stream: its bytes, and, for each place in the JSON of its events (`choices[0].delta.content`), the
 * text that the deltas add up to, so that a secret split across deltas is replaced in each of them. Bytes are held back
 * until an event with data is complete, and as long as the text of a place may be the beginning of a secret.
 */
export class EventStreamFilter implements ByteFilter {
  readonly #replacer: Replacer;
  readonly #plain: ByteFilter;
  readonly #reader = new SseReader();
  readonly #places = new Map<string, Place>();
  #pending: Uint8Array = EMPTY;
  /** Offset in the stream of the first pending byte. */
  #pendingStart = 0;
  /** Offset in the stream after the last complete event with data. */
  #openEventStart = 0;
  #eventCount = 0;

  constructor(plain: Replacer, deltas: Replacer) {
    this.#plain = plain.stream();
    this.#replacer = deltas;
  }

  push(piece: Uint8Array): Uint8Array {
    return this.#read(this.#plain.push(piece));
  }

  finish(): Uint8Array {
    const last = this.#read(this.#plain.finish());
    const { events, rest } = this.#reader.finish();
    for (const event of [...events, ...(rest === null ? [] : [rest])]) this.#watch(event);
    for (const place of this.#places.values()) this.#settle(place, 'final');
    const released = Buffer.concat([last, this.#pending]);
    this.#pending = EMPTY;
    return released;
  }

  #read(bytes: Uint8Array): Uint8Array {
    if (bytes.length > 0) this.#pending = Buffer.concat([this.#pending, bytes]);
    for (const event of this.#reader.push(bytes)) {
      this.#watch(event);
      this.#openEventStart = event.end;
    }
    return this.#release();
  }

  #release(): Uint8Array {
    const end = this.#pendingStart + this.#pending.length;
    let until = end - this.#openEventStart > MAX_EVENT_BYTES ? end : this.#openEventStart;
    for (const { eventStarts } of this.#places.values()) until = Math.min(until, eventStarts[0] ?? until);
    const count = Math.max(0, until - this.#pendingStart);
    const released = this.#pending.subarray(0, count);
    this.#pending = this.#pending.subarray(count);
    this.#pendingStart += count;
    return released;
  }

  #watch(event: SseEvent): void {
    this.#eventCount += 1;
    for (const [name, { lastEvent, long }] of this.#places) {
      if (lastEvent + MAX_IDLE_EVENTS >= this.#eventCount) break; // oldest first
      if (long === null) this.#places.delete(name);
    }
    if (event.start < this.#pendingStart || event.end - event.start > MAX_EVENT_BYTES) return;
    const raw = this.#pending.subarray(event.start - this.#pendingStart, event.end - this.#pendingStart);
    const data = eventData(raw);
    const { bytes, at } = data;
    const json = structuredData(event);
    if (json === null) {
      this.#extendText(event, data);
      return;
    }
    const kind = `${event.event} json `;
    const nameAt = (path: readonly (string | number)[]) => `${kind}${jsonPathName(path, json.value)}`;
    let isKindWatched = this.#watchesAny(kind);
    // Except at watched places, only text that holds or may begin a secret is needed, which is rare.
    const isWanted = (text: Uint8Array, path: () => readonly (string | number)[]) =>
      !this.#isHarmless(text) || (isKindWatched && this.#places.has(nameAt(path())));
    for (const string of jsonStrings(bytes, isWanted)) {
      this.#extend(nameAt(string.path), string, { event, at });
      // The tokens of one event share a place, so the next string may already continue this one.
      isKindWatched = this.#watchesAny(kind);
    }
  }

  #watchesAny(kind: string): boolean {
    for (const name of this.#places.keys()) if (name.startsWith(kind)) return true;
    return false;
  }

  /**
   * Adds data that is not JSON: once with its lines joined, because a secret may be split between them, and, if there
   * are line feeds, once with them.
   */
  #extendText(event: SseEvent, { bytes, at, width }: SpelledText): void {
    const add = (name: string, offsets: Uint32Array) => {
      const text = {
        bytes: Uint8Array.from(offsets, (i) => bytes[i] ?? 0),
        at: offsets,
        width: offsets.map((i) => width[i] ?? 0),
      };
      this.#extend(`${event.event} ${name}`, text, { event, at });
    };
    const allOffsets = Uint32Array.from(bytes, (_, i) => i);
    const textOffsets = allOffsets.filter((i) => bytes[i] !== LF);
    add('text', textOffsets);
    if (textOffsets.length < allOffsets.length) add('lines', allOffsets);
  }

  #isHarmless(text: Uint8Array): boolean {
    const { bytes, until } = this.#replacer.settle(text, 'open');
    return bytes === text && until === text.length;
  }

  #extend(name: string, text: SpelledText, { event, at }: { event: SseEvent; at: Uint32Array }): void {
    const watched = this.#places.get(name);
    if (watched === undefined && this.#isHarmless(text.bytes)) return;
    const place = watched ?? new Place();
    this.#places.delete(name);
    place.add(text, (i) => event.start + (at[i] ?? 0));
    for (let i = 0; i < text.bytes.length; i += 1) place.eventStarts.push(event.start);
    place.lastEvent = this.#eventCount;
    this.#settle(place, 'open');
    if (place.eventStarts.length === 0 && place.long === null) return;
    this.#places.set(name, place);
    const [oldest] = this.#places.keys();
    if (this.#places.size > MAX_PLACES && oldest !== undefined) this.#places.delete(oldest);
  }

  #settle(place: Place, tail: Tail): void {
    const text = place.bytes;
    const { bytes, until, rest } = this.#replacer.settle(text, tail, place.long);
    place.long = rest;
    if (bytes !== text) place.rewrite(bytes, this.#pending, this.#pendingStart);
    place.drop(until);
    place.eventStarts.splice(0, until);
  }
}

/** The JSON of an event; null if its data is text. A number is text: streams of single characters also send digits. */
export function structuredData({ json }: SseEvent): { readonly value: Json } | null {
  return typeof json?.value === 'number' ? null : json;
}

/** The end of the text at one place in the JSON, or of data that is not JSON, kept because it may begin a secret. */
class Place extends JoinedText {
  /** For each byte of the text, the offset in the stream of its event. */
  readonly eventStarts: number[] = [];
  long: LongValue | null = null;
  lastEvent = 0;
}

/** The data of an event. The line feeds that join its data lines have no spelling in the event. */
export function eventData(raw: Uint8Array): SpelledText {
  const lines = dataLines(raw);
  const [[from, to] = [0, 0]] = lines;
  if (lines.length === 1 && to <= OFFSETS.length)
    return {
      bytes: new Uint8Array(raw.subarray(from, to)),
      at: OFFSETS.subarray(from, to),
      width: WIDTHS.subarray(from, to),
    };
  const at: number[] = [];
  const width: number[] = [];
  for (const [n, [start, end]] of lines.entries()) {
    if (n > 0) {
      at.push(start);
      width.push(0);
    }
    for (let offset = start; offset < end; offset += 1) {
      at.push(offset);
      width.push(1);
    }
  }
  const bytes = Uint8Array.from(at, (offset, i) => (width[i] === 0 ? LF : (raw[offset] ?? 0)));
  return { bytes, at: Uint32Array.from(at), width };
}

/** The position of the value in each data line of an event (HTML standard, section 9.2.6). */
function dataLines(raw: Uint8Array): (readonly [from: number, to: number])[] {
  const lines: (readonly [number, number])[] = [];
  for (let start = 0, end = 0; start < raw.length; start = end + 1) {
    end = start;
    while (end < raw.length && raw[end] !== LF && raw[end] !== CR) end += 1;
    const colon = start + DATA_FIELD.length;
    const isField = colon === end || (colon < end && raw[colon] === COLON);
    if (!isField || DATA_FIELD.some((byte, i) => raw[start + i] !== byte)) continue;
    lines.push([Math.min(end, colon + (raw[colon + 1] === SPACE ? 2 : 1)), end]);
  }
  return lines;
}
