import { bufferOn } from '../http/bytes.ts';
import { NUMBER_FLAG, plainString, type SpelledText } from './spelled-text.ts';

type Path = readonly (string | number)[];

interface JsonString extends SpelledText {
  /** Member names and indexes from the root; ends with `name N` for a token that names the N-th member, from 0. */
  readonly path: Path;
}

const DECODER = new TextDecoder();
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BYTES = Buffer.from('bytes');
const TOP_LOGPROBS = Buffer.from('top_logprobs');
/** Character codes by the letter of a two-character escape; any other character is escaped as itself. */
const SIMPLE_ESCAPES: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 };

interface Container {
  readonly isArray: boolean;
  key: readonly [from: number, end: number];
  index: number;
  isKeyExpected: boolean;
}

/**
 * The string values of a JSON text in order, with lists of `bytes` and the tokens that name the members of
 * `top_logprobs`. `wants` can skip strings without escapes; it gets the path as a function, because computing it is
 * expensive and rarely needed.
 */
export function* jsonStrings(
  text: Uint8Array,
  wants: (bytes: Uint8Array, path: () => Path) => boolean = () => true,
): Generator<JsonString> {
  const isWanted = (spelling: Uint8Array, path: () => Path) =>
    spelling.includes(BACKSLASH) || wants(spelling, path);
  const stack: Container[] = [];
  const pathTo = (containers: readonly Container[]) =>
    containers.map((container) => pathStep(text, container));
  for (let at = 0; at < text.length; at += 1) {
    const top = stack.at(-1);
    switch (String.fromCharCode(text[at] ?? 0)) {
      case '{':
        stack.push({ isArray: false, key: [0, 0], index: 0, isKeyExpected: true });
        break;
      case '[': {
        const list = top !== undefined && isNamed(text, top, BYTES) ? spelledNumbers(text, at + 1) : null;
        if (list !== null) {
          yield { path: pathTo(stack), ...list };
          at = list.end;
        } else stack.push({ isArray: true, key: [0, 0], index: 0, isKeyExpected: false });
        break;
      }
      case '}':
      case ']':
        stack.pop();
        break;
      case ',':
        if (top === undefined) break;
        top.index += 1;
        top.isKeyExpected = !top.isArray;
        break;
      case '"': {
        const end = closingQuote(text, at + 1);
        if (top?.isKeyExpected) {
          top.key = [at + 1, end];
          top.isKeyExpected = false;
          const path = () => [...pathTo(stack.slice(0, -1)), `name ${top.index}`];
          if (isTokenMap(text, stack) && isWanted(text.subarray(at + 1, end), path))
            yield { path: path(), ...spelledString(text, at + 1, end) };
        } else if (isWanted(text.subarray(at + 1, end), () => pathTo(stack)))
          yield { path: pathTo(stack), ...spelledString(text, at + 1, end) };
        at = end;
        break;
      }
    }
  }
}

function pathStep(text: Uint8Array, { isArray, index, key: [from, end] }: Container): string | number {
  if (isArray) return index;
  const key = text.subarray(from, end);
  return DECODER.decode(key.includes(BACKSLASH) ? spelledString(text, from, end).bytes : key);
}

function isNamed(text: Uint8Array, { isArray, key: [from, end] }: Container, name: Uint8Array): boolean {
  return !isArray && end - from === name.length && name.every((byte, i) => text[from + i] === byte);
}

function isTokenMap(text: Uint8Array, stack: readonly Container[]): boolean {
  const [outer, list] = stack.slice(-3, -1);
  return outer !== undefined && list?.isArray === true && isNamed(text, outer, TOP_LOGPROBS);
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
  const append = (values: Iterable<number>, place: number, length: number) => {
    let isFirst = true;
    for (const value of values) {
      bytes[count] = value;
      at[count] = place;
      width[count] = isFirst ? length : 0;
      isFirst = false;
      count += 1;
    }
  };
  for (let place = from; place < end; ) {
    if (text[place] !== BACKSLASH) {
      append([text[place] ?? 0], place, 1);
      place += 1;
      continue;
    }
    const letter = String.fromCharCode(text[place + 1] ?? 0);
    const escaped =
      letter === 'u'
        ? decodeUnicodeEscape(text, place)
        : { bytes: [SIMPLE_ESCAPES[letter] ?? letter.charCodeAt(0)], length: 2 };
    append(escaped.bytes, place, escaped.length);
    place += escaped.length;
  }
  return { bytes: bytes.subarray(0, count), at: at.subarray(0, count), width: width.subarray(0, count) };
}

const CLOSING_BRACKET = 0x5d;
const DIGITS_AND_SEPARATORS = new Set(Buffer.from('0123456789, \t\r\n'));
const LARGEST_BYTE = 255;

/** The text that a list of bytes spells, and the offset of the list's end; null for any other list. */
function spelledNumbers(text: Uint8Array, from: number): (SpelledText & { end: number }) | null {
  let end = from;
  while (end < text.length && DIGITS_AND_SEPARATORS.has(text[end] ?? 0)) end += 1;
  if (end < text.length && text[end] !== CLOSING_BRACKET) return null;
  const list = bufferOn(text, from, end).toString('latin1');
  const numbers = [...list.matchAll(/\d+/g)];
  if (numbers.length === 0 || numbers.some(([digits]) => Number(digits) > LARGEST_BYTE)) return null;
  return {
    bytes: Uint8Array.from(numbers, ([digits]) => Number(digits)),
    at: Uint32Array.from(numbers, ({ index }) => from + index),
    width: Uint8Array.from(numbers, ([digits]) => NUMBER_FLAG + digits.length),
    end,
  };
}

/** The escapes of a surrogate pair, or of one code unit. */
const UNICODE_ESCAPES = /^(?:\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4})/;
const UNIT_LENGTH = 6;

function decodeUnicodeEscape(text: Uint8Array, at: number): { bytes: Uint8Array; length: number } {
  const next = Buffer.from(text.subarray(at, at + 2 * UNIT_LENGTH)).toString('latin1');
  const [escapes = ''] = UNICODE_ESCAPES.exec(next) ?? [];
  const units = (escapes.match(/[\da-fA-F]{4}/g) ?? []).map((hex) => Number.parseInt(hex, 16));
  const bytes = new TextEncoder().encode(String.fromCharCode(...units));
  return { bytes, length: Math.max(UNIT_LENGTH, escapes.length) };
}
