import type { LongValue } from '../patterns/pattern.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const LETTER_X = 0x78;
const BOUNDARY = Buffer.from('\r\n--');

/** How far a value was read: to its end, to its first undecided byte (`open`), or to where what is around it ends first (`broken`). */
export interface Reached {
  readonly until: number;
  readonly state: 'over' | 'open' | 'broken';
}

/** Reads on in a value that came in pieces, from where the last call left off. */
export type ReadOn = (bytes: Uint8Array, from: number, to: number) => Reached;

/** A string in JSON, both quotes of which are written with so many backslashes. A blank line is in none. */
export function readString(slashes: number): ReadOn {
  let row = 0;
  let last = 0;
  return (bytes, from, to) => {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      // A quote with other backslashes ends a string around this one.
      if (byte === QUOTE && row % (slashes + 1) !== slashes) return { until: at, state: 'broken' };
      if (byte === QUOTE && row % (2 * (slashes + 1)) === slashes)
        return { until: at - slashes, state: 'over' };
      if (isBlankLine(last, byte)) return { until: at, state: 'broken' };
      row = byte === BACKSLASH ? row + 1 : 0;
      last = byte;
    }
    const kept = Math.min(slashes, row);
    row -= kept;
    return { until: to - kept, state: 'open' };
  };
}

/** The content of a part of a multipart form. */
export function readPart(): ReadOn {
  return (bytes, from, to) => {
    const content = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
    const end = content.indexOf(BOUNDARY);
    if (end !== -1) return { until: from + end, state: 'over' };
    let kept = Math.min(BOUNDARY.length - 1, content.length);
    while (!content.subarray(content.length - kept).equals(BOUNDARY.subarray(0, kept))) kept -= 1;
    return { until: to - kept, state: 'open' };
  };
}

/** The value of a field in a form in the way of URLs. */
export function readFormValue(): ReadOn {
  return (bytes, from, to) => {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at];
      if (byte === AMPERSAND || byte === CR || byte === LF) return { until: at, state: 'over' };
    }
    return { until: to, state: 'open' };
  };
}

/** Masks a value from where it was read to. Line ends stay, because events end with them. */
export function restOf(readOn: ReadOn): LongValue {
  return {
    mask: (bytes, from, tail) => {
      const { until, state } = readOn(bytes, from, bytes.length);
      const isOver = state !== 'open' || tail === 'final';
      const end = state === 'open' && isOver ? bytes.length : until;
      for (let at = from; at < end; at += 1) if (bytes[at] !== LF && bytes[at] !== CR) bytes[at] = LETTER_X;
      return { until: end, isOver };
    },
  };
}

function isBlankLine(last: number, byte: number): boolean {
  return (byte === LF && last === LF) || (byte === CR && (last === LF || last === CR));
}
