import { type SseEvent, SseReader } from '../../http/sse-reader.ts';
import type { LongValue, Tail } from '../patterns/pattern.ts';
import { eventData } from './event-data.ts';
import { jsonPathName, jsonStrings, rewriteByte } from './json-strings.ts';
import type { ByteFilter, Replacer } from './replacer.ts';

/** Longest event that is held back until it is complete; longer ones are redacted as plain bytes only. Bytes. */
const LONGEST_EVENT = 1024 * 1024;
/** A place where nothing was added for so many events is given up, and so is the one that was silent longest of too many. */
const PATIENCE = 256;
/** Most places that are watched at a time. */
const MOST_PLACES = 256;
const EMPTY = new Uint8Array(0);
const LF = 0x0a;

/**
 * Redacts an event stream. Beside the bytes it watches, for each place in the JSON of the events (`choices[0].delta.content`),
 * the text that the events build up there, so that a secret cut into deltas is replaced in each of them. Bytes are
 * held back until their event is complete, and while the text at one of its places may be the beginning of a secret.
 */
export class EventStreamFilter implements ByteFilter {
  readonly #replacer: Replacer;
  /** Redacts the raw bytes, before the texts of the events are searched. */
  readonly #plain: ByteFilter;
  readonly #reader = new SseReader();
  readonly #places = new Map<string, Place>();
  /** Bytes not yet let go, and the offset in the stream of the first of them. */
  #held: Uint8Array = EMPTY;
  #base = 0;
  /** Where the event begins that is not complete. */
  #open = 0;
  /** Number of events so far. */
  #events = 0;

  /** `plain` redacts the bytes as they are, `deltas` the text that is built up by events. */
  constructor(plain: Replacer, deltas: Replacer) {
    this.#plain = plain.stream();
    this.#replacer = deltas;
  }

  /** Returns the bytes up to the first that may still change. */
  push(piece: Uint8Array): Uint8Array {
    return this.#read(this.#plain.push(piece));
  }

  /** Redacts the texts that are still open, and returns the rest of the stream. */
  finish(): Uint8Array {
    const last = this.#read(this.#plain.finish());
    const { events, rest } = this.#reader.finish();
    for (const event of [...events, ...(rest === null ? [] : [rest])]) this.#watch(event);
    for (const place of this.#places.values()) this.#settle(place, 'final');
    const all = Buffer.concat([last, this.#held]);
    this.#held = EMPTY;
    return all;
  }

  /** Reads redacted bytes as events, and returns those that may be released. */
  #read(bytes: Uint8Array): Uint8Array {
    if (bytes.length > 0) this.#held = Buffer.concat([this.#held, bytes]);
    for (const event of this.#reader.push(bytes)) {
      this.#watch(event);
      this.#open = event.end;
    }
    return this.#letGo();
  }

  /** Gives the bytes that nothing can change any more. */
  #letGo(): Uint8Array {
    const end = this.#base + this.#held.length;
    let until = end - this.#open > LONGEST_EVENT ? end : this.#open;
    for (const { firstAt } of this.#places.values()) until = Math.min(until, firstAt);
    const count = Math.max(0, until - this.#base);
    const free = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    this.#base += count;
    return free;
  }

  /** Adds the texts of an event to their places. */
  #watch(event: SseEvent): void {
    this.#events += 1;
    for (const [name, { lastEvent, long }] of this.#places) {
      if (lastEvent + PATIENCE >= this.#events) break; // they are in the order in which they were added to
      if (long === null) this.#places.delete(name);
    }
    if (event.start < this.#base) return;
    const raw = this.#held.subarray(event.start - this.#base, event.end - this.#base);
    const { bytes, at } = eventData(raw);
    const { json } = event;
    if (json === null) {
      this.#extendText(event, bytes, at);
      return;
    }
    // Nearly no text begins a secret: where nothing waits for more, there is nothing to keep.
    const isWanted = (text: Uint8Array) => this.#places.size > 0 || !this.#isHarmless(text);
    for (const string of jsonStrings(bytes, isWanted)) {
      const name = `${event.event} json ${jsonPathName(string.path, json.value)}`;
      const offset = (i: number) => event.start + (at[string.at[i] ?? 0] ?? 0);
      this.#extend(name, { bytes: string.bytes, width: string.width, offset, event: event.start });
    }
  }

  /** Adds data that is not JSON: joined, as a secret may be cut at the end of a line; and in its lines, where there are several. */
  #extendText(event: SseEvent, bytes: Uint8Array, at: Uint32Array): void {
    const add = (name: string, kept: readonly number[]) => {
      const text = Uint8Array.from(kept, (i) => bytes[i] ?? 0);
      const width = new Uint8Array(text.length).fill(1);
      const offset = (i: number) => event.start + (at[kept[i] ?? 0] ?? 0);
      this.#extend(`${event.event} ${name}`, { bytes: text, width, offset, event: event.start });
    };
    const all = Array.from(bytes, (_, i) => i);
    const joined = all.filter((i) => bytes[i] !== LF);
    add('text', joined);
    if (joined.length < all.length) add('lines', all);
  }

  /** Whether text that nothing came before neither holds a secret nor may begin one. */
  #isHarmless(text: Uint8Array): boolean {
    const { bytes, until } = this.#replacer.settle(text, 'open');
    return bytes === text && until === text.length;
  }

  /** Adds text to the place with this name. */
  #extend(name: string, text: PlacedText): void {
    const place = this.#places.get(name) ?? new Place();
    this.#places.delete(name);
    place.add(text);
    place.lastEvent = this.#events;
    this.#settle(place, 'open');
    if (place.bytes.length === 0 && place.long === null) return;
    this.#places.set(name, place);
    const [oldest] = this.#places.keys();
    if (this.#places.size > MOST_PLACES && oldest !== undefined) this.#places.delete(oldest);
  }

  /** Replaces the complete matches at a place, and forgets the text that no further match can include. */
  #settle(place: Place, tail: Tail): void {
    const { bytes, until, rest } = this.#replacer.settle(place.bytes, tail, place.long);
    place.long = rest;
    if (bytes !== place.bytes) this.#replace(place, bytes);
    place.keep(until);
  }

  /** Writes changed bytes of a place into the events that are still held back. */
  #replace(place: Place, bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i += 1) {
      if (bytes[i] === place.bytes[i]) continue;
      const at = (place.at[i] ?? 0) - this.#base;
      if (at >= 0) rewriteByte(this.#held, at, place.width[i] ?? 0, bytes[i] ?? 0);
    }
  }
}

/** Text that one event adds to a place. */
interface PlacedText {
  /** UTF-8. */
  readonly bytes: Uint8Array;
  /** Length of the spelling of each byte; 0 where the spelling of the byte before covers it. */
  readonly width: Uint8Array;
  /** Offset in the stream of the spelling of the i-th byte. */
  readonly offset: (i: number) => number;
  /** Offset in the stream of the event. */
  readonly event: number;
}

/** The end of the text at one place that may be the beginning of a secret. */
class Place {
  /** Text that may be the beginning of a match. UTF-8. */
  bytes: Uint8Array = EMPTY;
  /** Of each byte: offset of its spelling in the stream. */
  at: number[] = [];
  /** Of each byte: length of its spelling. */
  width: number[] = [];
  /** A value that goes on after the text, which is masked so far. */
  long: LongValue | null = null;
  /** Ordinal of the event that added to it last. */
  lastEvent = 0;
  /** Offset of the event that each byte stands in. */
  #events: number[] = [];

  /** The event in which the text begins. */
  get firstAt(): number {
    return this.#events[0] ?? Number.POSITIVE_INFINITY;
  }

  /** Appends the text of one event. */
  add({ bytes, width, offset, event }: PlacedText): void {
    this.bytes = Buffer.concat([this.bytes, bytes]);
    for (let i = 0; i < bytes.length; i += 1) {
      this.at.push(offset(i));
      this.width.push(width[i] ?? 0);
      this.#events.push(event);
    }
  }

  /** Forgets what comes before `from`. */
  keep(from: number): void {
    this.bytes = this.bytes.subarray(from);
    this.at = this.at.slice(from);
    this.width = this.width.slice(from);
    this.#events = this.#events.slice(from);
  }
}
