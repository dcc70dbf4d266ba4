import type { Json } from '../../http/body.ts';

/** A string value of a JSON text: where it stands, its UTF-8 bytes, and where each of them is written. */
export interface JsonString {
  /** Member names and positions from the top. */
  readonly path: readonly (string | number)[];
  /** The decoded value. UTF-8. */
  readonly bytes: Uint8Array;
  /** Of each byte: offset of its spelling in the text. */
  readonly at: Uint32Array;
  /** Of each byte: length of its spelling; 0 where the spelling of the byte before covers it. */
  readonly width: Uint8Array;
}

const DECODER = new TextDecoder();
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Escapes of two characters, by their letter; any other letter stands for itself. */
const SIMPLE: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 };

/** An object or array that is open at the current position. */
interface Container {
  readonly isArray: boolean;
  /** Where the name of the member is written. */
  key: readonly [from: number, end: number];
  /** Position of the current element of an array. */
  index: number;
  /** Whether the next string of an object is a member name. */
  expectsKey: boolean;
}

/**
 * The string values of a text that is known to be JSON, in their order. Of those that are spelled without escapes, only
 * those whose bytes are wanted when their turn comes.
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
      case '[':
        stack.push({ isArray: true, key: [0, 0], index: 0, expectsKey: false });
        break;
      case '}':
      case ']':
        stack.pop();
        break;
      case ',':
        if (top?.isArray) top.index += 1;
        else if (top !== undefined) top.expectsKey = true;
        break;
      case '"': {
        const end = closingQuote(text, at + 1);
        if (top?.expectsKey) {
          top.key = [at + 1, end];
          top.expectsKey = false;
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

/** The path step of the value at the current position of a container. */
function token(text: Uint8Array, { isArray, index, key: [from, end] }: Container): string | number {
  return isArray ? index : DECODER.decode(spelledString(text, from, end).bytes);
}

/** Offset of the quote that ends a string. */
function closingQuote(text: Uint8Array, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Decodes the string between two offsets, and maps each byte to its spelling. */
function spelledString(text: Uint8Array, from: number, end: number): Omit<JsonString, 'path'> {
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
    const length = letter === 'u' ? unicodeLength(text, place) : 2;
    const value = letter === 'u' ? unicode(text, place, length) : [SIMPLE[letter] ?? letter.charCodeAt(0)];
    put(value, place, length);
    place += length;
  }
  return { bytes: bytes.subarray(0, count), at: at.subarray(0, count), width: width.subarray(0, count) };
}

/** Where every byte stands for itself. */
function plainString(text: Uint8Array, from: number, end: number): Omit<JsonString, 'path'> {
  const at = new Uint32Array(end - from);
  for (let i = 0; i < at.length; i += 1) at[i] = from + i;
  return { bytes: text.slice(from, end), at, width: new Uint8Array(end - from).fill(1) };
}

/** 12 for a pair of surrogates, else 6. */
function unicodeLength(text: Uint8Array, at: number): number {
  const pair = Buffer.from(text.subarray(at, at + 12)).toString('latin1');
  return /^\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F]/.test(pair) ? 12 : 6;
}

/** UTF-8 of one or two `\u` escapes. */
function unicode(text: Uint8Array, at: number, length: number): Uint8Array {
  const spelled = Buffer.from(text.subarray(at, at + length)).toString('latin1');
  const units = [...spelled.matchAll(/\\u([\da-fA-F]{4})/g)].map(([, hex]) =>
    Number.parseInt(hex ?? '0', 16),
  );
  return new TextEncoder().encode(String.fromCharCode(...units));
}

/** Writes an ASCII byte over the spelling of one byte of a string, at the same length. */
export function rewriteByte(text: Uint8Array, at: number, width: number, byte: number): void {
  if (width === 1) text[at] = byte;
  else if (width === 2) text[at + 1] = SLASH;
  else if (width >= 6) {
    for (let from = at; from < at + width; from += 6) {
      text.set(Buffer.from(`00${byte.toString(16).padStart(2, '0')}`), from + 2);
    }
  }
}

const SLASH = 0x2f;

/** Names a place in a stream of JSON events: array elements go by their `index` member where they have one. */
export function jsonPathName(path: readonly (string | number)[], root: Json): string {
  let value: Json | undefined = root;
  const names: string[] = [];
  for (const step of path) {
    value = member(value, step);
    const index = typeof step === 'number' ? member(value, 'index') : undefined;
    names.push(typeof index === 'number' ? `#${index}` : String(step));
  }
  return names.join('/');
}

/** The member of an object or element of an array; undefined for other values. */
function member(value: Json | undefined, name: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
