import { closeSync, readSync } from 'node:fs';
import { isTooDeep, MAX_LEVELS } from '../http/json-text.ts';
import { openRegular } from './entries.ts';

export type LineSource = number | Uint8Array;

export interface FileLine {
  /** Without its line feed; valid until the next line is read. */
  readonly bytes: Buffer;
  readonly offset: number;
  /** False for a last line without a line feed. */
  readonly isWhole: boolean;
}

const BUFFER_BYTES = 256 * 1024;
const LF = 10;

export function* readFileLines(file: string): Generator<FileLine> {
  const fd = openRegular(file);
  try {
    yield* linesOf(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Yields the lines of a source, in memory that depends only on the longest one. `onChunk` receives all bytes in order,
 * and the bytes of a line before the line is yielded.
 */
export function* linesOf(source: LineSource, onChunk?: (bytes: Buffer) => void): Generator<FileLine> {
  let buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let held = 0;
  let offset = 0;
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const count = readAt(source, buffer, held, offset + held);
    if (count === 0) break;
    const bytes = buffer.subarray(0, held + count);
    onChunk?.(bytes.subarray(held));
    let from = 0;
    for (let at = bytes.indexOf(LF, held); at !== -1; at = bytes.indexOf(LF, from)) {
      yield { bytes: bytes.subarray(from, at), offset: offset + from, isWhole: true };
      from = at + 1;
    }
    bytes.copyWithin(0, from);
    offset += from;
    held = bytes.length - from;
  }
  if (held > 0) yield { bytes: buffer.subarray(0, held), offset, isWhole: false };
}

/** Returns the value of a line; undefined if it is not JSON, is nested too deeply, or is too long for a string. */
export function tryParseLine(bytes: Buffer): unknown {
  try {
    const text = bytes.toString();
    return isTooDeep(text, MAX_LEVELS) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function lineNumber(source: LineSource, offset: number): number {
  let n = 0;
  for (const line of linesOf(source)) {
    if (line.offset > offset) break;
    n += 1;
  }
  return n;
}

export function readAt(source: LineSource, into: Uint8Array, from: number, offset: number): number {
  if (from === into.length) return 0;
  if (typeof source === 'number') return readSync(source, into, from, into.length - from, offset);
  const bytes = source.subarray(offset, offset + into.length - from);
  into.set(bytes, from);
  return bytes.length;
}
