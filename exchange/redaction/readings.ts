import { getOrMake } from '../../schemas/maps.ts';
import type { Json } from '../http/body.ts';
import { bufferOn } from '../http/bytes.ts';
import { parseBoundedJson } from '../http/json-text.ts';
import { readEvents } from '../http/sse-reader.ts';
import { isZip, readZipEntries } from '../http/zip.ts';
import { gunzip, isGzip } from './packed-file.ts';

const MAX_DEPTH = 5;
const WINDOW_BYTES = 4 * 1024 * 1024;
/** Bytes by which windows overlap: longer than any secret in practice. */
const OVERLAP_BYTES = 64 * 1024;
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;

/** Minimum length of a string that is decoded: the shortest secret that is searched for has this length in base64. */
const MIN_CODED_LENGTH = 16;
const SAMPLE_BYTES = 256;

// The lookbehind, here and below, keeps a search linear in the length of a run of backslashes. `x{24}x*` replaces
// `x{24,}`, which exhausts the stack on megabytes.
const LINE_ENDS = /(?<!\\)\\+[rn]|[\r\n]/g;
const BASE64_RUNS = /[A-Za-z0-9+/_-]{24}[A-Za-z0-9+/_-]*/g;
const HEX_RUNS = /\b[\da-f]{32}[\da-f]*\b/gi;
/** Matches content that may be an event stream, whatever its media type: it has a data line near the beginning. */
const DATA_LINE = /(?:^|[\r\n])data:/;
const START_BYTES = 4096;

/** The texts that a client could read from a body without content coding: as it is, joined, and decoded. */
export function* contentReadings(bytes: Uint8Array, depth = MAX_DEPTH): Generator<string> {
  const unpacked = isGzip(bytes)
    ? [gunzip(bytes, MAX_UNPACKED_BYTES)]
    : readZipEntries(bytes, MAX_UNPACKED_BYTES).map(({ content }) => content);
  for (const content of unpacked)
    if (content !== null && depth > 0) yield* contentReadings(content, depth - 1);
  const buffer = bufferOn(bytes);
  if (depth > 0 && DATA_LINE.test(buffer.toString('latin1', 0, START_BYTES)))
    yield* streamReadings(bytes, depth - 1);
  for (let from = 0; from < bytes.length; from += WINDOW_BYTES)
    yield* textReadings(buffer.toString('utf8', from, from + WINDOW_BYTES + OVERLAP_BYTES), depth);
}

function* streamReadings(stream: Uint8Array, depth: number): Generator<string> {
  for (let from = 0; from < stream.length; from += WINDOW_BYTES)
    yield* eventReadings(stream.subarray(from, from + WINDOW_BYTES + OVERLAP_BYTES), depth);
}

function* eventReadings(bytes: Uint8Array, depth: number): Generator<string> {
  const { events, rest } = readEvents(bytes) ?? { events: [], rest: null };
  const allEvents = rest === null ? events : [...events, rest];
  yield* joinedTexts(
    allEvents.map(({ event, json, data }) => ({
      [event]: isText(json?.value) ? data : (json?.value ?? null),
    })),
    depth,
  );
}

/** Numbers count as text, because a stream of one character per event also sends digits. */
function isText(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'number';
}

function* textReadings(text: string, depth: number): Generator<string> {
  yield text;
  if (depth === 0) return;
  const json = /^\s*[[{"]/.test(text) ? parseBoundedJson(text) : null;
  if (json === null) {
    const plain = decodeEscapes(text);
    yield* plain === text ? runReadings(text, depth - 1) : textReadings(plain, depth - 1);
    return;
  }
  // The shape of a secret may include the name of the member that holds it.
  if (text.includes('\\u')) yield JSON.stringify(json.value);
  yield* joinedTexts([json.value], depth - 1);
  // A string may contain a stream, or JSON.
  for (const string of stringsIn(json.value))
    if (string.length >= MIN_CODED_LENGTH) yield* contentReadings(Buffer.from(string), depth - 1);
}

function decodeEscapes(text: string): string {
  if (!/[\\%&]/.test(text)) return text;
  return text
    .replaceAll(/(?<!\\)\\+u([\da-f]{4})/gi, (_, code: string) => decodeHex(code))
    .replaceAll(/(?<!\\)\\+(["/])/g, '$1')
    .replaceAll(/%([0-7][\da-f])/gi, (_, code: string) => decodeHex(code))
    .replaceAll(/&#x0*([\da-f]{2});/gi, (_, code: string) => decodeHex(code))
    .replaceAll(/&#0*(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)));
}

function decodeHex(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function* runReadings(text: string, depth: number): Generator<string> {
  const runs = new Set<string>();
  for (const source of [text, text.replaceAll(LINE_ENDS, '')])
    for (const [run] of source.matchAll(BASE64_RUNS)) runs.add(run);
  for (const run of runs) yield* binaryReadings(Buffer.from(run, 'base64'), depth);
  for (const [run] of text.matchAll(HEX_RUNS)) yield* binaryReadings(Buffer.from(run, 'hex'), depth);
}

function* binaryReadings(bytes: Buffer, depth: number): Generator<string> {
  if (isGzip(bytes) || isZip(bytes)) yield* contentReadings(bytes, depth);
  else if (!bytes.subarray(0, SAMPLE_BYTES).some(isControl)) yield* textReadings(bytes.toString(), depth);
  else if (/[!-~]{16}/.test(bytes.toString('latin1'))) yield bytes.toString('latin1');
}

function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;
}

/**
 * The texts that the strings at each place add up to, in order: the `choices[0].delta.content` of all events, or the
 * `token` of each element of a list. Numbers from 0 to 255 are bytes of a text.
 */
function* joinedTexts(values: readonly Json[], depth: number): Generator<string> {
  const texts = new Map<string, string[]>();
  for (const value of values) {
    collect(texts, value, { path: 'all', grouping: 'joined' });
    collect(texts, value, { path: 'each', grouping: 'by position' });
  }
  for (const parts of texts.values()) if (parts.length > 1) yield* textReadings(parts.join(''), depth);
}

interface Position {
  readonly path: string;
  readonly grouping: 'joined' | 'by position';
}

function collect(texts: Map<string, string[]>, value: Json, { path, grouping }: Position): void {
  if (Array.isArray(value)) {
    for (const [i, element] of value.entries())
      collect(texts, element, { path: `${path}/${elementName(element, i, grouping)}`, grouping });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      collect(texts, member, { path: `${path}/${name}`, grouping });
  } else {
    const part = leafText(value);
    if (part !== null) getOrMake(texts, path, () => []).push(part);
  }
}

function elementName(element: Json, position: number, grouping: Position['grouping']): string {
  const index = typeof element === 'object' && element !== null ? Reflect.get(element, 'index') : undefined;
  if (typeof index === 'number') return `#${index}`;
  return grouping === 'joined' || typeof element === 'number' ? '*' : String(position);
}

function leafText(value: Json): string | null {
  if (typeof value === 'string') return value;
  const isByte = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
  return isByte ? String.fromCharCode(value) : null;
}

function* stringsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* stringsIn(member);
}
