// Lines of cassettes and journals are untrusted, so they are checked before exchanges and notes are built from them.
import { isObject } from '../../schemas/json.ts';
import { isTooDeep, MAX_LEVELS } from '../http/json-text.ts';
import type { Note } from '../trace.ts';
import { validatorOf } from './format-validators.ts';
import { tryParseLine } from './line-reader.ts';
import type {
  CassetteLine,
  CloseLine,
  HeaderLine,
  JournalEvent,
  JournalHeader,
  JournalNote,
  JournalSecret,
  ResponseLine,
  TimingLine,
} from './lines.ts';

/** Levels of nesting that a line may have around the JSON of a body. */
const LINE_LEVELS = 16;

/** Approximate size in bytes of the groups in which lines are parsed: one string cannot hold a long stream. */
const GROUP_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;

/** Throws Error for a line that is not valid. */
export function parseLines(bytes: Buffer): CassetteLine[] {
  const lines: CassetteLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.length - from > GROUP_BYTES ? bytes.indexOf(LF, from + GROUP_BYTES) : -1;
    const to = end === -1 ? bytes.length : end + 1;
    for (const line of parseGroup(bytes.subarray(from, to), lines.length)) lines.push(line);
    from = to;
  }
  return lines;
}

function parseGroup(bytes: Buffer, linesBefore: number): CassetteLine[] {
  const text = bytes.toString().trimEnd();
  if (isTooDeep(text, MAX_LEVELS + LINE_LEVELS))
    throw new Error(`it is nested in more than ${MAX_LEVELS} levels`);
  const lines: unknown[] = JSON.parse(`[${text.replaceAll('\n', ',')}]`);
  for (const [n, line] of lines.entries())
    if (!isLine(line)) throw new Error(`its line ${linesBefore + n + 1} is not a line of a cassette`);
  // as: each line was checked
  return lines as CassetteLine[];
}

const LINE_KINDS = new Set<unknown>(['request', 'response', 'body', 'event', 'raw', 'end']);

function isLine(value: unknown): boolean {
  const kind = isObject(value) ? value['e'] : undefined;
  return LINE_KINDS.has(kind) && validatorOf('cassette', String(kind))(value);
}

export function isCloseLine(value: unknown): value is CloseLine {
  return validatorOf('cassette', 'close')(value);
}

export function isTimingLine(value: unknown): value is TimingLine {
  return validatorOf('cassette', 'timing')(value);
}

export function responseLine(bytes: Buffer): ResponseLine | null {
  const value = tryParseLine(bytes);
  // as: checked by its schema
  return validatorOf('cassette', 'response')(value) ? (value as ResponseLine) : null;
}

export function noteOf(value: unknown): Note | null {
  if (!validatorOf('cassette', 'note-content')(value)) return null;
  // as: checked by its schema
  const { e: _, ...note } = value as Note & { readonly e?: unknown };
  // as: removing a member from a union loses its variants
  return note as Note;
}

export function isHeader(value: unknown): value is HeaderLine {
  return validatorOf('cassette', 'header')(value) && hasUrl(value);
}

function hasUrl(value: unknown): boolean {
  // as: checked by its schema
  return URL.canParse((value as HeaderLine).target.baseUrl);
}

const EVENT_KINDS = new Set<unknown>([
  'request',
  'request-body',
  'response',
  'piece',
  'response-body',
  'end',
]);

export function eventOf(value: unknown): JournalEvent | null {
  const kind = isObject(value) ? value['e'] : undefined;
  if (!EVENT_KINDS.has(kind) || !validatorOf('journal', String(kind))(value)) return null;
  // as: checked by its schema
  const event = value as JournalEvent;
  return hasStatedSize(event) ? event : null;
}

function hasStatedSize(event: JournalEvent): boolean {
  if (event.e !== 'request-body' && event.e !== 'response-body') return true;
  if ('blob' in event || 'digest' in event) return true;
  const size = 'text' in event ? Buffer.byteLength(event.text) : Buffer.byteLength(event.base64, 'base64');
  return event.size === size;
}

export function journalHeaderOf(value: unknown): JournalHeader | null {
  const isHeaderLine = validatorOf('journal', 'header')(value) && hasUrl(value);
  // as: checked by its schema
  return isHeaderLine ? (value as JournalHeader) : null;
}

export function isJournalSecret(value: unknown): value is JournalSecret {
  return validatorOf('journal', 'secret')(value);
}

export function journalNoteOf(value: unknown): JournalNote | null {
  const note = noteOf(value);
  return note && { e: 'note', ...note };
}
