// Typed netstrings, the form in which mitmproxy saves flows: `LENGTH:PAYLOAD` followed by one character for the type.
// Sources: https://tnetstrings.info, and mitmproxy/io/tnetstring.py, which adds `;` for text.
import { FormatError } from './format.ts';

export type NetValue =
  | null
  | boolean
  | number
  | string
  | Buffer
  | readonly NetValue[]
  | { readonly [name: string]: NetValue };

const MAX_LEVELS = 100;
const MAX_DIGITS = 12;

export function isNetString(bytes: Uint8Array): boolean {
  return /^\d+:/.test(Buffer.from(bytes.subarray(0, MAX_DIGITS + 1)).toString('latin1'));
}

export function* readNetStrings(bytes: Buffer): Generator<NetValue> {
  const reader = new NetStringReader(bytes);
  for (let n = 1; reader.at < bytes.length; n += 1) {
    try {
      yield reader.readValue(bytes.length, 0);
    } catch (error) {
      throw error instanceof FormatError ? new FormatError(`flow ${n} ${error.message}`) : error;
    }
  }
}

export function textOf(value: NetValue | undefined): string {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : '';
}

class NetStringReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  readValue(limit: number, level: number): NetValue {
    const { at } = this;
    if (level > MAX_LEVELS) throw new FormatError(`is nested in more than ${MAX_LEVELS} levels`);
    const colon = this.#bytes.indexOf(0x3a, at);
    const digits = colon === -1 || colon - at > MAX_DIGITS ? '' : this.#bytes.toString('latin1', at, colon);
    if (!/^\d+$/.test(digits)) throw new FormatError(`is damaged at byte ${at}`);
    const end = colon + 1 + Number(digits);
    if (end >= limit) throw new FormatError(`is cut off at byte ${limit}`);
    this.at = colon + 1;
    const value = this.#parsePayload(end, level);
    this.at = end + 1;
    return value;
  }

  #parsePayload(end: number, level: number): NetValue {
    // The payload is not copied, because the whole file stays in memory anyway.
    const payload = this.#bytes.subarray(this.at, end);
    switch (String.fromCharCode(this.#bytes[end] ?? 0)) {
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
        return this.#readElements(end, level);
      case '}':
        return objectFrom(this.#readElements(end, level));
      default:
        throw new FormatError(`has a value of an unknown type at byte ${end}`);
    }
  }

  #readElements(end: number, level: number): readonly NetValue[] {
    const elements: NetValue[] = [];
    while (this.at < end) elements.push(this.readValue(end, level + 1));
    return elements;
  }
}

function objectFrom(list: readonly NetValue[]): { readonly [name: string]: NetValue } {
  const entries: [string, NetValue][] = [];
  for (let i = 0; i + 1 < list.length; i += 2) entries.push([textOf(list[i]), list[i + 1] ?? null]);
  return Object.fromEntries(entries);
}
