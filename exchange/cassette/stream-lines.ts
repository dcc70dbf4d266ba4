import { readEvents, type SseEvent } from '../http/sse-reader.ts';
import { asJson, inlineBody, inlineBytes } from './body-encoding.ts';
import type { CassetteLine, EventLine, RawLine } from './lines.ts';

interface StreamSyntax {
  readonly colon: string;
  readonly eol: string;
}

export const DEFAULT_STREAM_SYNTAX: StreamSyntax = { colon: ': ', eol: '\n' };
/** Maximum size in bytes of the content of a raw line; more is split, because a line is parsed as a whole. */
const MAX_RAW_BYTES = 4 * 1024 * 1024;

export function encodeStream(bytes: Buffer): { lines: (EventLine | RawLine)[]; syntax: StreamSyntax } {
  const { events } = readEvents(bytes) ?? { events: [] };
  const first = events.find(({ isTooLong }) => !isTooLong);
  const syntax = syntaxOf(bytes, first);
  const lines: (EventLine | RawLine)[] = [];
  let written = 0;
  for (const event of events) {
    if (event.isTooLong) continue;
    const line = eventLine(event);
    if (!writeEvent(line, syntax).equals(bytes.subarray(event.start, event.end))) continue;
    if (event.start > written) lines.push(...rawLines(bytes.subarray(written, event.start)));
    lines.push(line);
    written = event.end;
  }
  if (bytes.length > written) lines.push(...rawLines(bytes.subarray(written)));
  return { lines, syntax };
}

export function decodeStream(lines: readonly CassetteLine[], syntax: StreamSyntax): Buffer {
  return Buffer.concat(
    lines.flatMap((line) => {
      if (line.e === 'raw') return [inlineBytes(line)];
      return line.e === 'event' ? [writeEvent(line, syntax)] : [];
    }),
  );
}

function eventLine({ event, data }: SseEvent): EventLine {
  const name = event === '' ? {} : { event };
  const parsed = asJson(data);
  const isExact = parsed !== null && parsed.indent === undefined && parsed.tail === undefined;
  return isExact ? { e: 'event', ...name, data: parsed.json } : { e: 'event', ...name, text: data };
}

function writeEvent(line: EventLine, { colon, eol }: StreamSyntax): Buffer {
  const data = 'data' in line ? JSON.stringify(line.data) : line.text;
  const name = line.event === undefined ? '' : `event${colon}${line.event}${eol}`;
  return Buffer.from(`${name}data${colon}${data}${eol}${eol}`);
}

function syntaxOf(bytes: Buffer, first: SseEvent | undefined): StreamSyntax {
  if (first === undefined) return DEFAULT_STREAM_SYNTAX;
  const text = bytes.subarray(first.start, first.end).toString();
  const [, colon = ': ', eol = '\n'] = /(?:data|event)(: ?)[^\r\n]*(\r\n|\r|\n)/.exec(text) ?? [];
  return { colon, eol };
}

function rawLines(bytes: Buffer): RawLine[] {
  const lines: RawLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = characterStart(bytes, Math.min(bytes.length, from + MAX_RAW_BYTES));
    lines.push({ e: 'raw', ...inlineBody(bytes.subarray(from, to)) });
    from = to;
  }
  return lines;
}

/** Moves an offset back by up to three bytes, so that no UTF-8 character is split. */
function characterStart(bytes: Buffer, offset: number): number {
  let at = offset;
  while (offset - at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return ((bytes[at] ?? 0) & 0xc0) === 0x80 ? offset : at;
}
