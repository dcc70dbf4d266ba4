import type { Json } from '../http/body.ts';
import { bufferOn } from '../http/bytes.ts';
import { type SseEvent, SseReader } from '../http/event-stream.ts';
import type { Tail } from './pattern.ts';
import type { ByteFilter, LongValue, Replacer } from './replacer.ts';

/** Maximum size in bytes of an event that is held back until complete; a longer one is redacted only as plain bytes. */
const MAX_EVENT_BYTES = 1024 * 1024;
/** Number of events without new text after which a place is no longer watched. */
const PATIENCE = 256;
/** Maximum number of watched places; beyond it, the one without new text for longest is dropped. */
const MAX_PLACES = 256;
const EMPTY = new Uint8Array(0);
const NO_OFFSETS = new Uint32Array(0);
const LF = 0x0a;

/**
 * Redacts an event stream: its bytes, and, for each place in the JSON of its events (`choices[0].delta.content`), the text that the
 * deltas add up to, so that a secret split across deltas is replaced in each of them. Bytes are held back until their event is
 * complete, and as long as the text of a place may be the beginning of a secret.
 */
export class EventStreamFilter implements ByteFilter {
  readonly #replacer: Replacer;
  readonly #plain: ByteFilter;
  readonly #reader = new SseReader();
  readonly #places = new Map<string, Place>();
  /** Bytes that are not released yet; `#base` is the offset of the first. */
  #held: Uint8Array = EMPTY;
  #base = 0;
  /** Offset of the incomplete event. */
  #open = 0;
  #events = 0;

  /** `plain` redacts the bytes as they are, `deltas` the text that events build up. */
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
    const all = Buffer.concat([last, this.#held]);
    this.#held = EMPTY;
    return all;
  }

  #read(bytes: Uint8Array): Uint8Array {
    if (bytes.length > 0) this.#held = Buffer.concat([this.#held, bytes]);
    for (const event of this.#reader.push(bytes)) {
      this.#watch(event);
      this.#open = event.end;
    }
    return this.#letGo();
  }

  #letGo(): Uint8Array {
    const end = this.#base + this.#held.length;
    let until = end - this.#open > MAX_EVENT_BYTES ? end : this.#open;
    for (const { events } of this.#places.values()) until = Math.min(until, events[0] ?? until);
    const count = Math.max(0, until - this.#base);
    const free = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    this.#base += count;
    return free;
  }

  #watch(event: SseEvent): void {
    this.#events += 1;
    for (const [name, { lastEvent, long }] of this.#places) {
      if (lastEvent + PATIENCE >= this.#events) break; // oldest first
      if (long === null) this.#places.delete(name);
    }
    if (event.start < this.#base || event.end - event.start > MAX_EVENT_BYTES) return;
    const raw = this.#held.subarray(event.start - this.#base, event.end - this.#base);
    const data = eventData(raw);
    const { bytes, at } = data;
    const json = structuredData(event);
    if (json === null) {
      this.#extendText(event, data);
      return;
    }
    // Hardly any text begins a secret, so if nothing is pending, nothing needs to be kept.
    const isWanted = (text: Uint8Array) => this.#places.size > 0 || !this.#isHarmless(text);
    for (const string of jsonStrings(bytes, isWanted))
      this.#extend(`${event.event} json ${jsonPathName(string.path, json.value)}`, string, { event, at });
  }

  /**
   * Adds data that is not JSON: once with its lines joined, because a secret may be split between them, and, if there are line
   * feeds, once with them.
   */
  #extendText(event: SseEvent, { bytes, at, width }: SpelledText): void {
    const add = (name: string, kept: Uint32Array) => {
      const text = {
        bytes: Uint8Array.from(kept, (i) => bytes[i] ?? 0),
        at: kept,
        width: kept.map((i) => width[i] ?? 0),
      };
      this.#extend(`${event.event} ${name}`, text, { event, at });
    };
    const all = Uint32Array.from(bytes, (_, i) => i);
    const joined = all.filter((i) => bytes[i] !== LF);
    add('text', joined);
    if (joined.length < all.length) add('lines', all);
  }

  #isHarmless(text: Uint8Array): boolean {
    const { bytes, until } = this.#replacer.settle(text, 'open');
    return bytes === text && until === text.length;
  }

  /** `at`: offset in the event of each byte of its data. */
  #extend(name: string, text: SpelledText, { event, at }: { event: SseEvent; at: Uint32Array }): void {
    const known = this.#places.get(name);
    if (known === undefined && this.#isHarmless(text.bytes)) return;
    const place = known ?? new Place();
    this.#places.delete(name);
    place.add(text, (i) => event.start + (at[i] ?? 0));
    for (let i = 0; i < text.bytes.length; i += 1) place.events.push(event.start);
    place.lastEvent = this.#events;
    this.#settle(place, 'open');
    if (place.events.length === 0 && place.long === null) return;
    this.#places.set(name, place);
    const [oldest] = this.#places.keys();
    if (this.#places.size > MAX_PLACES && oldest !== undefined) this.#places.delete(oldest);
  }

  /** Replaces complete matches at a place, and drops the text that no further match can include. */
  #settle(place: Place, tail: Tail): void {
    const text = place.bytes;
    const { bytes, until, rest } = this.#replacer.settle(text, tail, place.long);
    place.long = rest;
    if (bytes !== text) place.rewrite(bytes, this.#held, this.#base);
    place.drop(until);
    place.events.splice(0, until);
  }
}

/** Returns null for data that is text, including a number: a stream of one character per event also sends digits, which are JSON. */
export function structuredData({ json }: SseEvent): { readonly value: Json } | null {
  return typeof json?.value === 'number' ? null : json;
}

/** A text, and how each of its bytes is spelled in a surrounding text. */
interface SpelledText {
  readonly bytes: Uint8Array;
  /** Offset of the spelling of each byte. */
  readonly at: Uint32Array;
  /** For each byte: length of its spelling; 0 if it has none, or that of the previous byte covers it. */
  readonly width: ArrayLike<number>;
}

/** The concatenation of many strings, in one buffer, because there may be a million of them. */
export class JoinedText {
  #bytes = EMPTY;
  /** As in `SpelledText`, but modulo 2 ** 32, because a stream may be longer. */
  #at = NO_OFFSETS;
  #width = EMPTY;
  #length = 0;

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** `place` maps an offset around the string to one in the whole text. */
  add({ bytes, at, width }: SpelledText, place = (offset: number) => offset): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) this.#grow(Math.max(length, 2 * this.#length));
    this.#bytes.set(bytes, this.#length);
    this.#width.set(width, this.#length);
    for (let i = 0; i < bytes.length; i += 1) this.#at[this.#length + i] = place(at[i] ?? 0);
    this.#length = length;
  }

  /** Writes changed bytes over their spellings. `base`: offset of the target, which may no longer contain all spellings. */
  rewrite(changed: Uint8Array, target: Uint8Array, base = 0): void {
    for (let i = 0; i < changed.length; i += 1) {
      const at = ((this.#at[i] ?? 0) - base) >>> 0;
      if (changed[i] !== this.#bytes[i] && at < target.length)
        rewriteByte(target, at, this.#width[i] ?? 0, changed[i] ?? 0);
    }
  }

  /** Drops the first bytes. */
  drop(count: number): void {
    this.#length -= count;
    if (count === 0 || this.#length === 0) return;
    for (const array of [this.#bytes, this.#at, this.#width])
      array.copyWithin(0, count, count + this.#length);
  }

  #grow(size: number): void {
    const [bytes, at, width] = [new Uint8Array(size), new Uint32Array(size), new Uint8Array(size)];
    bytes.set(this.#bytes);
    at.set(this.#at);
    width.set(this.#width);
    [this.#bytes, this.#at, this.#width] = [bytes, at, width];
  }
}

/** The end of the text at one place that may begin a secret. */
class Place extends JoinedText {
  /** Offset in the stream of the event of each byte. */
  readonly events: number[] = [];
  /** A value whose beginning is masked and which continues in a later event. */
  long: LongValue | null = null;
  lastEvent = 0;
}

const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const FIELD = Buffer.from('data');
/** The offsets and widths of data in one line, as in nearly every event. */
const OFFSETS = Uint32Array.from({ length: 16 * 1024 }, (_, i) => i);
const WIDTHS = new Uint8Array(OFFSETS.length).fill(1);

/** The data of an event. The line feed between two lines is written nowhere. */
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
  for (const [start, end] of lines) {
    if (at.length > 0) {
      at.push(start);
      width.push(0);
    }
    for (let place = start; place < end; place += 1) {
      at.push(place);
      width.push(1);
    }
  }
  const bytes = Uint8Array.from(at, (place, i) => (width[i] === 0 ? LF : (raw[place] ?? 0)));
  return { bytes, at: Uint32Array.from(at), width };
}

/** The position of each data line of an event (HTML standard, section 9.2.6). */
function dataLines(raw: Uint8Array): (readonly [from: number, to: number])[] {
  const lines: (readonly [number, number])[] = [];
  for (let start = 0, end = 0; start < raw.length; start = end + 1) {
    end = start;
    while (end < raw.length && raw[end] !== LF && raw[end] !== CR) end += 1;
    const colon = start + FIELD.length;
    const isField = colon === end || (colon < end && raw[colon] === COLON);
    if (!isField || FIELD.some((byte, i) => raw[start + i] !== byte)) continue;
    lines.push([Math.min(end, colon + (raw[colon + 1] === SPACE ? 2 : 1)), end]);
  }
  return lines;
}

interface JsonString extends SpelledText {
  /** Member names and indexes from the root. */
  readonly path: readonly (string | number)[];
}

const DECODER = new TextDecoder();
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Characters of two-character escapes by letter; other letters stand for themselves. */
const SIMPLE: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 };

interface Container {
  readonly isArray: boolean;
  /** Offsets of the name of the current member. */
  key: readonly [from: number, end: number];
  /** Ordinal of the current element or member. */
  index: number;
  /** Whether the next string is a member name. */
  expectsKey: boolean;
}

/**
 * The string values of a JSON text in order, with lists of `bytes` and the tokens that name the members of `top_logprobs`. `wants`
 * can skip strings without escapes.
 */
export function* jsonStrings(
  text: Uint8Array,
  wants: (bytes: Uint8Array) => boolean = () => true,
): Generator<JsonString> {
  const isWanted = (spelling: Uint8Array) => spelling.includes(BACKSLASH) || wants(spelling);
  const stack: Container[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const top = stack.at(-1);
    switch (String.fromCharCode(text[at] ?? 0)) {
      case '{':
        stack.push({ isArray: false, key: [0, 0], index: 0, expectsKey: true });
        break;
      case '[': {
        const list = top !== undefined && isNamed(text, top, BYTES) ? spelledNumbers(text, at + 1) : null;
        if (list !== null) {
          yield { path: stack.map((container) => token(text, container)), ...list };
          at = list.end;
        } else stack.push({ isArray: true, key: [0, 0], index: 0, expectsKey: false });
        break;
      }
      case '}':
      case ']':
        stack.pop();
        break;
      case ',':
        if (top === undefined) break;
        top.index += 1;
        top.expectsKey = !top.isArray;
        break;
      case '"': {
        const end = closingQuote(text, at + 1);
        if (top?.expectsKey) {
          top.key = [at + 1, end];
          top.expectsKey = false;
          if (isCandidates(text, stack) && isWanted(text.subarray(at + 1, end))) {
            const path = stack.slice(0, -1).map((container) => token(text, container));
            yield { path: [...path, `name ${top.index}`], ...spelledString(text, at + 1, end) };
          }
        } else if (isWanted(text.subarray(at + 1, end))) {
          const path = stack.map((container) => token(text, container));
          yield { path, ...spelledString(text, at + 1, end) };
        }
        at = end;
        break;
      }
    }
  }
}

function token(text: Uint8Array, { isArray, index, key: [from, end] }: Container): string | number {
  return isArray ? index : DECODER.decode(spelledString(text, from, end).bytes);
}

const BYTES = Buffer.from('bytes');
const CANDIDATES = Buffer.from('top_logprobs');

/** Whether the current member of an object has this name. */
function isNamed(text: Uint8Array, { isArray, key: [from, end] }: Container, name: Uint8Array): boolean {
  return !isArray && end - from === name.length && name.every((byte, i) => text[from + i] === byte);
}

/** Whether the innermost container is an element of `top_logprobs`, whose member names are tokens. */
function isCandidates(text: Uint8Array, stack: readonly Container[]): boolean {
  const [outer, list] = stack.slice(-3, -1);
  return outer !== undefined && list?.isArray === true && isNamed(text, outer, CANDIDATES);
}

function closingQuote(text: Uint8Array, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}

function spelledString(text: Uint8Array, from: number, end: number): SpelledText {
  if (!text.subarray(from, end).includes(BACKSLASH)) return plainString(text, from, end);
  const bytes = new Uint8Array(end - from);
  const at = new Uint32Array(end - from);
  const width = new Uint8Array(end - from);
  let count = 0;
  const put = (values: Iterable<number>, place: number, length: number) => {
    let first = true;
    for (const value of values) {
      bytes[count] = value;
      at[count] = place;
      width[count] = first ? length : 0;
      first = false;
      count += 1;
    }
  };
  for (let place = from; place < end; ) {
    if (text[place] !== BACKSLASH) {
      put([text[place] ?? 0], place, 1);
      place += 1;
      continue;
    }
    const letter = String.fromCharCode(text[place + 1] ?? 0);
    const { value, length } =
      letter === 'u' ? unicode(text, place) : { value: [SIMPLE[letter] ?? letter.charCodeAt(0)], length: 2 };
    put(value, place, length);
    place += length;
  }
  return { bytes: bytes.subarray(0, count), at: at.subarray(0, count), width: width.subarray(0, count) };
}

const CLOSING_BRACKET = 0x5d;
const SEPARATES_OR_COUNTS = new Set(Buffer.from('0123456789, \t\r\n'));
const LARGEST_BYTE = 255;
/** Flag in the length of a spelling: the byte is spelled as a decimal number. */
const NUMBER = 16;

/** The text that a list of bytes spells, and the offset of its closing bracket; null for any other list. */
function spelledNumbers(text: Uint8Array, from: number): (SpelledText & { end: number }) | null {
  let end = from;
  while (end < text.length && SEPARATES_OR_COUNTS.has(text[end] ?? 0)) end += 1;
  if (end < text.length && text[end] !== CLOSING_BRACKET) return null;
  const list = bufferOn(text, from, end).toString('latin1');
  const numbers = [...list.matchAll(/\d+/g)];
  if (numbers.length === 0 || numbers.some(([digits]) => Number(digits) > LARGEST_BYTE)) return null;
  return {
    bytes: Uint8Array.from(numbers, ([digits]) => Number(digits)),
    at: Uint32Array.from(numbers, ({ index }) => from + index),
    width: Uint8Array.from(numbers, ([digits]) => NUMBER + digits.length),
    end,
  };
}

/** A text without escapes. */
export function plainString(text: Uint8Array, from = 0, end = text.length): SpelledText {
  const at = new Uint32Array(end - from);
  for (let i = 0; i < at.length; i += 1) at[i] = from + i;
  return { bytes: text.slice(from, end), at, width: new Uint8Array(end - from).fill(1) };
}

/** A surrogate pair, or one code unit. */
const UNICODE = /^(?:\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4})/;
/** Length of an escape with four digits. */
const UNIT_LENGTH = 6;

function unicode(text: Uint8Array, at: number): { value: Uint8Array; length: number } {
  const near = Buffer.from(text.subarray(at, at + 2 * UNIT_LENGTH)).toString('latin1');
  const [spelled = ''] = UNICODE.exec(near) ?? [];
  const units = (spelled.match(/[\da-fA-F]{4}/g) ?? []).map((hex) => Number.parseInt(hex, 16));
  const value = new TextEncoder().encode(String.fromCharCode(...units));
  return { value, length: Math.max(UNIT_LENGTH, spelled.length) };
}

/** Numbers, by length, that replace a byte if the number of the alias has a different length: `0`, `X` and `x`. */
const NUMBER_BY_LENGTH = ['', '0', '88', '120'];

/** Overwrites the spelling of one byte with an ASCII byte of the same length. */
function rewriteByte(text: Uint8Array, at: number, width: number, byte: number): void {
  if (width === 1) text[at] = byte;
  else if (width === 2) text[at + 1] = SLASH;
  else if (width > NUMBER) {
    const digits = String(byte);
    text.set(
      Buffer.from(digits.length === width - NUMBER ? digits : (NUMBER_BY_LENGTH[width - NUMBER] ?? '')),
      at,
    );
  } else if (width >= 6) {
    for (let from = at; from < at + width; from += 6) {
      text.set(Buffer.from(`00${byte.toString(16).padStart(2, '0')}`), from + 2);
    }
  }
}

const SLASH = 0x2f;

/**
 * Names a place in a stream of JSON events. Array elements are named by their `index` member if they have one. The tokens of
 * `logprobs` are one place, because they add up to a text.
 */
export function jsonPathName(path: readonly (string | number)[], root: Json): string {
  let value: Json | undefined = root;
  let isInTokens = false;
  const names: string[] = [];
  for (const step of path) {
    value = member(value, step);
    const index = typeof step === 'number' ? member(value, 'index') : undefined;
    if (isInTokens && typeof step === 'number') {
      names.push('*');
      isInTokens = false;
    } else names.push(typeof index === 'number' ? `#${index}` : String(step));
    isInTokens ||= step === 'logprobs';
  }
  return names.join('/');
}

function member(value: Json | undefined, name: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
