// Typed netstrings, the form in which mitmproxy saves flows: `LENGTH:PAYLOAD` and a letter for the type.
// Source: https://tnetstrings.info, and mitmproxy/io/tnetstring.py, which adds `;` for text.
import { FormatError } from './format-error.ts';

/** A value: bytes stay bytes. */
export type NetValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly NetValue[]
  | { readonly [name: string]: NetValue };

/** A value and the offset behind it. */
interface Read {
  readonly value: NetValue;
  /** In bytes. */
  readonly end: number;
}

/** Values within values that are read at most. */
const MOST_LEVELS = 100;
/** Digits of a length. */
const MOST_DIGITS = 12;

/** Whether bytes begin like a typed netstring. */
export function isNetString(bytes: Uint8Array): boolean {
  return /^\d{1,12}:/.test(Buffer.from(bytes.subarray(0, MOST_DIGITS + 1)).toString('latin1'));
}

/** The values that follow one another in a file. Throws FormatError with the place where it is cut or damaged. */
export function* readNetStrings(bytes: Buffer): Generator<NetValue> {
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    let read: Read;
    try {
      read = readValue(bytes, at, 0);
    } catch (error) {
      throw error instanceof FormatError ? new FormatError(`flow ${n + 1} ${error.message}`) : error;
    }
    yield read.value;
    at = read.end;
  }
}

/** Reads one value. Throws FormatError. */
function readValue(bytes: Buffer, at: number, level: number): Read {
  if (level > MOST_LEVELS) throw new FormatError(`is nested in more than ${MOST_LEVELS} levels`);
  const colon = bytes.indexOf(0x3a, at);
  const digits = colon === -1 || colon - at > MOST_DIGITS ? '' : bytes.toString('latin1', at, colon);
  if (!/^\d+$/.test(digits)) throw new FormatError(`is damaged at byte ${at}`);
  const start = colon + 1;
  const end = start + Number(digits);
  if (end >= bytes.length) throw new FormatError(`is cut off at byte ${bytes.length}`);
  return { value: typedValue(bytes, { start, end, level }), end: end + 1 };
}

/** Offsets of a payload, and how many values it is in. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly level: number;
}

/** The value of a payload, by the letter behind it. */
function typedValue(bytes: Buffer, { start, end, level }: Span): NetValue {
  // Not copied: the file stays in memory as long as its parts.
  const payload = bytes.subarray(start, end);
  switch (String.fromCharCode(bytes[end] ?? 0)) {
    case ',':
      return payload;
    case ';':
      return payload.toString();
    case '#':
    case '^':
      return Number(payload.toString('latin1'));
    case '!':
      return payload.toString('latin1') === 'true';
    case '~':
      return null;
    case ']':
      return elements(bytes, { start, end, level });
    case '}':
      return members(elements(bytes, { start, end, level }));
    default:
      throw new FormatError(`has a value of an unknown type at byte ${end}`);
  }
}

/** The values of a list. */
function elements(bytes: Buffer, { start, end, level }: Span): readonly NetValue[] {
  const found: NetValue[] = [];
  const within = bytes.subarray(0, end);
  for (let at = start; at < end; ) {
    const read = readValue(at + 1 < end ? within : bytes, at, level + 1);
    found.push(read.value);
    at = read.end;
  }
  return found;
}

/** Names and values in turn. */
function members(list: readonly NetValue[]): { readonly [name: string]: NetValue } {
  const entries: [string, NetValue][] = [];
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = list[i];
    entries.push([
      name instanceof Uint8Array ? Buffer.from(name).toString() : String(name),
      list[i + 1] ?? null,
    ]);
  }
  return Object.fromEntries(entries);
}
