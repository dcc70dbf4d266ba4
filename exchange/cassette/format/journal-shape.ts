// The journal of a killed recorder may have been changed, or made, by anyone: `read-journal.ts` checks each
// line here, and names the first that is wrong with its number.
import { isObject } from '../../../schemas/json.ts';
import { type Check, every, fields, isCount, isText, isTime, orNone, orNull, pair } from './checks.ts';
import { ENDINGS, isDigestedPart, isHeader, isProbe, noteOf } from './line-shape.ts';
import type { JournalEvent, JournalHeader, JournalNote } from './lines.ts';

/** Header fields of a journal: unlike in a cassette, all values are there. */
const isHeaders = every(pair(isText, isText));
/** A SHA-256 in hex. */
const isDigest: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Bytes in a line. */
const isInline: Check = (value) =>
  isObject(value) && isText(value['text']) !== isText(value['base64']) && inlineSize(value) !== null;
/** A body in one of the three places; one in the line has the size that the line names. */
const isBody: Check = (value) => {
  if (!fields({ size: isCount })(value) || !isObject(value)) return false;
  if ('blob' in value) return isDigest(value['blob']);
  if ('digest' in value) return isDigest(value['digest']) && orNone(every(isStoredPart))(value['parts']);
  return isInline(value) && inlineSize(value) === value['size'];
};
/** A part of a form in a journal, which has more members than one in a cassette. */
const isStoredPart: Check = (value) =>
  isDigestedPart(value) && fields({ type: orNull(isText), headers: isHeaders, text: orNone(isText) })(value);

/** Checks of the events of an exchange, by their `e`. */
const EVENTS: Readonly<Record<string, Check>> = {
  request: fields({
    after: isCount,
    began: isTime,
    scenario: orNull(isText),
    probe: orNull(isProbe),
    method: isText,
    target: isText,
    headers: isHeaders,
    boundary: orNull(isText),
  }),
  'request-body': isBody,
  response: fields({ status: isCount, reason: isText, headers: isHeaders }),
  piece: (value) => fields({ at: isTime, size: isCount })(value) && isInline(value),
  'response-body': (value) => isBody(value) && fields({ pieces: every(pair(isCount, isTime)) })(value),
  end: fields({
    ended: isCount,
    how: (how) => ENDINGS.has(how),
    detail: orNull(isText),
    at: isTime,
    trailers: isHeaders,
  }),
};

/** An event of a journal out of the value of its line; null where it has not the shape of one. */
export function eventOf(value: unknown): JournalEvent | null {
  const kind = isObject(value) ? value['e'] : undefined;
  const isEvent = typeof kind === 'string' && Object.hasOwn(EVENTS, kind) && EVENTS[kind]?.(value) === true;
  // as: it was looked at
  return isEvent && fields({ i: isCount })(value) ? (value as JournalEvent) : null;
}

/** The first line of a journal; null where the value is another. */
export function journalHeaderOf(value: unknown): JournalHeader | null {
  const isFirst = fields({ e: (e) => e === 'header', continues: isCount })(value) && isHeader(value);
  // as: it was looked at
  return isFirst ? (value as JournalHeader) : null;
}

/** A note of a journal; null where the value is another line. */
export function journalNoteOf(value: unknown): JournalNote | null {
  try {
    return { e: 'note', ...noteOf(value) };
  } catch {
    return null;
  }
}

/** Length in bytes of what stands in a line; null where its base64 is not valid. */
function inlineSize({ text, base64 }: Readonly<Record<string, unknown>>): number | null {
  if (typeof text === 'string') return Buffer.byteLength(text);
  return typeof base64 === 'string' && BASE64.test(base64) ? Buffer.byteLength(base64, 'base64') : null;
}

/** Base64 of RFC 4648, section 4, which is how the recorder writes bytes. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
