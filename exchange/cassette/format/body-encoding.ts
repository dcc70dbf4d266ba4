import { isUtf8 } from 'node:buffer';
import type { BodyViews, Json } from '../../http/body.ts';
import { readEvents } from '../../http/event-stream.ts';
import type { SseEvent } from '../../http/sse-reader.ts';
import { parseBoundedJson } from '../../json-depth.ts';
import type { EventLine, RawLine, StoredBody } from './lines.ts';

/** Encodes a body in the most readable form whose decoding returns the identical bytes: JSON, text or base64. */
export function encodeBody(bytes: Buffer): StoredBody {
  if (!isUtf8(bytes)) return { base64: bytes.toString('base64') };
  const text = bytes.toString();
  return asJson(text) ?? { text };
}

/** The bytes of a body that is kept in its line; null for the other forms. */
export function decodeBody(stored: StoredBody): Buffer | null {
  if ('text' in stored) return Buffer.from(stored.text);
  if ('base64' in stored) return Buffer.from(stored.base64, 'base64');
  if ('json' in stored)
    return Buffer.from(`${JSON.stringify(stored.json, null, stored.indent)}${stored.tail ?? ''}`);
  return null;
}

/** The text or JSON of a body that is stored in its line, so that its bytes are decoded only when they are asked for. */
export function bodyViews(stored: StoredBody): BodyViews {
  if ('text' in stored) return { text: stored.text };
  return 'json' in stored ? { json: { value: stored.json } } : {};
}

/** The parts of a text that JSON.stringify reproduces exactly; null for any other text. */
function asJson(text: string): { indent?: number; tail?: string; json: Json } | null {
  let length = text.length;
  while (length > 0 && (text[length - 1] === '\n' || text[length - 1] === '\r')) length -= 1;
  const content = text.slice(0, length);
  const tail = text.slice(length);
  if (!/^[{["\d\-tfn]/.test(content)) return null;
  const indent = /^[{[]\n( +)/.exec(content)?.[1]?.length ?? 0;
  const parsed = parseBoundedJson(content);
  if (parsed === null || JSON.stringify(parsed.value, null, indent) !== content) return null;
  return { ...(indent > 0 && { indent }), ...(tail !== '' && { tail }), json: parsed.value };
}

/** Syntax in which a stream writes its events: what follows `data` and `event`, and how lines end. */
export interface StreamSyntax {
  /** A colon, with or without a space. */
  readonly colon: string;
  /** Line break: LF, CR LF or CR. */
  readonly eol: string;
}

/** The most frequent syntax; a cassette contains only differences from it. */
export const DEFAULT_STREAM_SYNTAX: StreamSyntax = { colon: ': ', eol: '\n' };

/** Encodes a stream as one line per event, with its syntax. Decoding returns the identical bytes. */
export function encodeStream(bytes: Buffer): { lines: (EventLine | RawLine)[]; syntax: StreamSyntax } {
  const { events } = readEvents(bytes) ?? { events: [] };
  const syntax = spellingOf(bytes, events[0]);
  const lines: (EventLine | RawLine)[] = [];
  let done = 0;
  for (const event of events) {
    const line = eventLine(event);
    if (!spell(line, syntax).equals(bytes.subarray(event.start, event.end))) continue;
    if (event.start > done) lines.push(raw(bytes.subarray(done, event.start)));
    lines.push(line);
    done = event.end;
  }
  if (bytes.length > done) lines.push(raw(bytes.subarray(done)));
  return { lines, syntax };
}

/** The bytes of a stream from its lines. */
export function decodeStream(lines: readonly (EventLine | RawLine)[], syntax: StreamSyntax): Buffer {
  return Buffer.concat(
    lines.map((line) => {
      if (line.e === 'event') return spell(line, syntax);
      return 'text' in line ? Buffer.from(line.text) : Buffer.from(line.base64, 'base64');
    }),
  );
}

/** Encodes an event, its data as JSON where that is reproducible. */
function eventLine({ event, data }: SseEvent): EventLine {
  const name = event === '' ? {} : { event };
  const parsed = asJson(data);
  const same = parsed !== null && parsed.indent === undefined && parsed.tail === undefined;
  return same ? { e: 'event', ...name, data: parsed.json } : { e: 'event', ...name, text: data };
}

/** The bytes of an event in a syntax. */
function spell(line: EventLine, { colon, eol }: StreamSyntax): Buffer {
  const data = 'data' in line ? JSON.stringify(line.data) : line.text;
  const name = line.event === undefined ? '' : `event${colon}${line.event}${eol}`;
  return Buffer.from(`${name}data${colon}${data}${eol}${eol}`);
}

/** The syntax of the first event; the default without events. */
function spellingOf(bytes: Buffer, first: SseEvent | undefined): StreamSyntax {
  if (first === undefined) return DEFAULT_STREAM_SYNTAX;
  const text = bytes.subarray(first.start, first.end).toString();
  const [, colon = ': ', eol = '\n'] = /(?:data|event)(: ?)[^\r\n]*(\r\n|\r|\n)/.exec(text) ?? [];
  return { colon, eol };
}

/** Encodes bytes between events that do not follow the syntax. */
function raw(bytes: Buffer): RawLine {
  return isUtf8(bytes)
    ? { e: 'raw', text: bytes.toString() }
    : { e: 'raw', base64: bytes.toString('base64') };
}
