import { isObject } from '../../schemas/json.ts';
import { isTooDeep, MOST_LEVELS } from '../http/json-text.ts';
import type { Note } from '../trace.ts';
import type {
  CassetteLine,
  JournalEvent,
  JournalHeader,
  JournalNote,
  ResponseLine,
  TimingLine,
} from './lines.ts';

// Cassettes, journals and HAR files come from strangers. These predicates check everything that readers rely on when a
// line is read, so that no other code has to expect a value of another type.

export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
/** A non-negative safe integer. */
export const isCount: Check = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
export const isTime: Check = (value) => typeof value === 'number' && Number.isFinite(value);
/** Flags are either absent or true. */
const isFlag: Check = (value) => value === true;
export const isTruth: Check = (value) => typeof value === 'boolean';
export const isAny: Check = () => true;
/** Also accepts an absent member. */
export const orNone =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
/** Also accepts null. */
export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
export const every =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
export const pair =
  (left: Check, right: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length === 2 && left(value[0]) && right(value[1]);
/** Further members are allowed. */
export const fields = (checks: Readonly<Record<string, Check>>): Check => {
  const members = Object.entries(checks);
  return (value) => {
    if (!isObject(value)) return false;
    for (const [name, check] of members) if (!check(value[name])) return false;
    return true;
  };
};

const isTexts: Check = every(isText);

/** Checks a union by the value of one member. */
const byTag =
  (tag: string, members: Readonly<Record<string, Check>>): Check =>
  (value) => {
    const name = isObject(value) ? value[tag] : undefined;
    return typeof name === 'string' && Object.hasOwn(members, name) && members[name]?.(value) === true;
  };

/** Levels that a line adds around a value that is itself read as JSON. */
const AROUND = 16;

/** Lines are parsed in groups of about this size, because no string takes those of a long stream. Bytes. */
const GROUP = 16 * 1024 * 1024;
const LF = 0x0a;

/**
 * Parses and checks the lines of one exchange. A checksum shows that a file was not changed, not that its author can be
 * trusted. Throws Error.
 */
export function parseLines(bytes: Buffer): CassetteLine[] {
  const lines: CassetteLine[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.length - from > GROUP ? bytes.indexOf(LF, from + GROUP) : -1;
    const to = end === -1 ? bytes.length : end + 1;
    for (const line of parseGroup(bytes.subarray(from, to), lines.length)) lines.push(line);
    from = to;
  }
  return lines;
}

function parseGroup(bytes: Buffer, before: number): CassetteLine[] {
  const text = bytes.toString().trimEnd();
  if (isTooDeep(text, MOST_LEVELS + AROUND))
    throw new Error(`it is nested in more than ${MOST_LEVELS} levels`);
  const lines: unknown = JSON.parse(`[${text.replaceAll('\n', ',')}]`);
  if (!Array.isArray(lines)) throw new Error('it is not made of lines');
  for (const [n, line] of lines.entries()) {
    if (!isLine(line)) throw new Error(`its line ${before + n + 1} is not a line of a cassette`);
  }
  // as: each line was checked
  return lines as CassetteLine[];
}

export const ENDINGS: ReadonlySet<unknown> = new Set([
  'complete',
  'upstream-reset',
  'upstream-timeout',
  'client-abort',
  'recorder-killed',
]);

/** Null: the value is in the timing file. */
const isHeaders = every(pair(isText, orNull(isText)));
export const isDigestedPart = fields({
  name: orNull(isText),
  filename: orNull(isText),
  size: isCount,
  sha256: isText,
});
export const isProbe = fields({
  id: isText,
  operation: isText,
  pointer: isText,
  keyword: isText,
  side: isText,
  control: orNull(isText),
});
/** Forms of a stored body, each identified by a member. */
const BODIES: readonly (readonly [name: string, check: Check])[] = [
  ['text', isText],
  ['base64', isText],
  ['blob', isFlag],
  ['digest', isFlag],
  ['lines', isCount],
  ['json', isAny],
];
const hasForm: Check = (value) => {
  let forms = 0;
  if (isObject(value))
    for (const [name, check] of BODIES) if (name in value && check(value[name])) forms += 1;
  return forms === 1;
};
const isBody = fields({
  of: isText,
  size: isCount,
  sha256: isText,
  colon: orNone(isText),
  eol: orNone(isText),
  indent: orNone(isCount),
  tail: orNone(isText),
  parts: orNone(every(isDigestedPart)),
});
const isNamed = orNone(isText);

const LINES: Readonly<Record<string, Check>> = {
  request: fields({
    i: isCount,
    after: isCount,
    ended: isCount,
    key: isText,
    scenario: orNone(isText),
    probe: orNone(isProbe),
    method: isText,
    target: isText,
    headers: isHeaders,
  }),
  response: fields({ status: isCount, reason: isText, headers: isHeaders }),
  body: (value) => isBody(value) && hasForm(value),
  event: (value) => isObject(value) && isNamed(value['event']) && ('data' in value || isText(value['text'])),
  raw: (value) => isObject(value) && (isText(value['text']) || isText(value['base64'])),
  end: fields({ how: (how) => ENDINGS.has(how), detail: orNone(isText), trailers: orNone(isHeaders) }),
};

const ofLane = orNone(every(pair(isCount, isText)));

const hasTimes = fields({
  i: isCount,
  began: isTime,
  request: ofLane,
  response: ofLane,
  trailers: ofLane,
  boundary: orNone(isText),
  pieces: orNone(every(pair(isCount, isTime))),
  end: isTime,
});

export function isTimingLine(value: unknown): value is TimingLine {
  return hasTimes(value);
}

/** Null if the text is not a response line. */
export function responseLine(text: string): ResponseLine | null {
  try {
    const value: unknown = JSON.parse(text);
    // as: checked above
    return isLine(value) && isObject(value) && value['e'] === 'response'
      ? (value as unknown as ResponseLine)
      : null;
  } catch {
    return null;
  }
}

/** In cassettes of version 0.1 and earlier, a text takes the place of the facts. */
const isWorded = fields({ message: isText });
const isSkip = byTag('reason', {
  'not-claimed': (note) => hasDetail(note) || fields({ family: isText })(note),
  filtered: (note) => hasDetail(note) || fields({ option: isText, globs: isTexts })(note),
  'not-allowed': (note) => hasDetail(note) || fields({ cost: isText })(note),
  'not-configured': (note) => hasDetail(note) || fields({ missing: isMissing })(note),
});
const hasDetail = fields({ detail: isText });
const isMissing = byTag('what', { model: fields({ role: isText }), key: isAny });

const ofRequest = { method: isText, path: isText };
const answered = fields({ ...ofRequest, status: orNull(isCount) });
const isBlocked = fields({
  obstacle: byTag('kind', {
    ...{ answered, unreadable: answered, late: answered, undecided: answered, control: answered },
    unanswered: fields({ ...ofRequest, detail: orNull(isText) }),
    'no-text': fields({ ...ofRequest, pointer: isText }),
    'no-object': fields({ ...ofRequest, object: isText }),
    'other-state': fields({ ...ofRequest, state: orNull(isText), needed: isText }),
    text: isWorded,
  }),
});
const isRetry: Check = (note) =>
  fields({ reason: isText })(note) ||
  fields({
    repeat: byTag('why', {
      closed: fields({ detail: orNull(isText) }),
      patience: fields({ status: isCount, seconds: isTime }),
    }),
  })(note);
const isStop = byTag('reason', {
  interrupted: isAny,
  budget: fields({ limit: (limit) => limit === 'requests' || limit === 'tokens', most: isCount }),
  'target-unreachable': fields({
    baseUrl: isText,
    strange: orNull(fields({ origin: isText, prefix: isText })),
    detail: orNull(isText),
    waited: orNone(isTime),
  }),
  'target-died': fields({
    detail: isText,
    underWay: orNone(
      every(
        fields({
          method: isText,
          path: isText,
          exchange: orNone(isText),
          invalid: orNone((is) => is === true),
        }),
      ),
    ),
  }),
});
const isHint = byTag('kind', {
  'models-not-listed': fields({
    models: every(fields({ role: isText, id: isText })),
    listed: isTexts,
    total: isCount,
  }),
  'models-found': fields({
    models: every(fields({ role: isText, id: isText })),
    without: every(fields({ role: isText, refused: isTexts, blind: orNone(isTexts) })),
    total: isCount,
    given: orNone(isText),
  }),
  'key-refused': isAny,
  'models-refused': fields({ status: isCount, keyVariable: isText, key: isText }),
  'answers-disturbed': fields({ answers: isCount }),
  'marks-not-believed': fields({ answers: isCount }),
  'models-not-in-reference': fields({ models: isTexts, offered: isTexts }),
  'model-refused': fields({ model: isText, roles: isTexts, status: isCount, code: isText }),
  text: isWorded,
});

const isDisturbed = fields({
  disturbance: isText,
  request: orNull(isText),
  retries: isCount,
  retriedAfter: orNull(isCount),
  honoured: orNull(isTruth),
  wentOn: isTruth,
  createdTwice: isTexts,
  usedHalf: isTruth,
});

const NOTES: Readonly<Record<string, Check>> = {
  'scenario-started': fields({ scenario: isText }),
  'scenario-ended': fields({ scenario: isText }),
  'scenario-crashed': fields({ scenario: isText, message: isText }),
  'scenario-skipped': (note) => fields({ scenario: isText })(note) && isSkip(note),
  blocked: (note) => fields({ scenario: isText, by: isText })(note) && (isWorded(note) || isBlocked(note)),
  deadline: fields({ scenario: isText, exchange: isText, state: isText, tag: orNone(isText) }),
  resumed: fields({ scenarios: isTexts }),
  retry: (note) => fields({ exchange: isText, of: isText })(note) && isRetry(note),
  stopped: (note) => isWorded(note) || isStop(note),
  disturbed: fields({ answer: isDisturbed }),
  remark: fields({ message: isText }),
  hint: (note) => isWorded(note) || fields({ hint: isHint })(note),
};

export function parseNote(bytes: Buffer): Note {
  return noteOf(JSON.parse(bytes.toString()));
}

export function noteOf(value: unknown): Note {
  const kind = isObject(value) ? value['note'] : undefined;
  const isNote = typeof kind === 'string' && Object.hasOwn(NOTES, kind) && NOTES[kind]?.(value) === true;
  if (!isObject(value) || !isNote || !isCount(value['after'])) throw new Error('it is not a note');
  const { e: _, ...note } = value;
  // as: checked above
  return note as unknown as Note;
}

export const isHeader: Check = fields({
  tool: fields({ name: isText, version: isText }),
  target: fields({ baseUrl: (url) => isText(url) && URL.canParse(String(url)), name: isText }),
  claims: fields({
    families: isTexts,
    operations: orNone(isTexts),
    version: orNone((name) => name === 'v1' || name === 'v2'),
    how: isText,
  }),
  filters: fields({ only: isTexts, skip: isTexts }),
  allow: isTexts,
  dialect: orNull(fields({ name: isText, digest: isText })),
  extensions: orNone((list) => Array.isArray(list) && list.every(fields({ name: isText, digest: isText }))),
  betaHeader: isText,
  models: (models) => isObject(models) && Object.values(models).every(isText),
  key: isTruth,
  keyInjected: orNone(isTruth),
  disturbed: orNone(isTruth),
  redact: orNone(fields({ pointers: isTexts, patterns: isCount })),
  shard: orNull(fields({ index: isCount, of: isCount })),
});

function isLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  const kind = value['e'];
  return typeof kind === 'string' && Object.hasOwn(LINES, kind) && LINES[kind]?.(value) === true;
}

/** Unlike in a cassette, all values are present. */
const isWireHeaders = every(pair(isText, isText));
const isDigest: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const isInline: Check = (value) =>
  isObject(value) && isText(value['text']) !== isText(value['base64']) && inlineSize(value) !== null;
/** A body in its line has the size that the line states. */
const isJournalBody: Check = (value) => {
  if (!fields({ size: isCount })(value) || !isObject(value)) return false;
  if ('blob' in value) return isDigest(value['blob']);
  if ('digest' in value) return isDigest(value['digest']) && orNone(every(isStoredPart))(value['parts']);
  return isInline(value) && inlineSize(value) === value['size'];
};
/** A part of a form in a journal, which has more members than in a cassette. */
const isStoredPart: Check = (value) =>
  isDigestedPart(value) &&
  fields({ type: orNull(isText), headers: isWireHeaders, text: orNone(isText) })(value);

/** The journal of a killed recorder may have been changed or forged by anyone, so each line is checked. */
const EVENTS: Readonly<Record<string, Check>> = {
  request: fields({
    after: isCount,
    began: isTime,
    scenario: orNull(isText),
    probe: orNull(isProbe),
    method: isText,
    target: isText,
    headers: isWireHeaders,
    boundary: orNull(isText),
  }),
  'request-body': isJournalBody,
  response: fields({ status: isCount, reason: isText, headers: isWireHeaders }),
  piece: (value) => fields({ at: isTime, size: isCount })(value) && isInline(value),
  'response-body': (value) => isJournalBody(value) && fields({ pieces: every(pair(isCount, isTime)) })(value),
  end: fields({
    ended: isCount,
    how: (how) => ENDINGS.has(how),
    detail: orNull(isText),
    at: isTime,
    trailers: isWireHeaders,
  }),
};

export function eventOf(value: unknown): JournalEvent | null {
  const kind = isObject(value) ? value['e'] : undefined;
  const isEvent = typeof kind === 'string' && Object.hasOwn(EVENTS, kind) && EVENTS[kind]?.(value) === true;
  // as: checked above
  return isEvent && fields({ i: isCount })(value) ? (value as JournalEvent) : null;
}

export function journalHeaderOf(value: unknown): JournalHeader | null {
  const isFirst = fields({ e: (e) => e === 'header', continues: isCount })(value) && isHeader(value);
  // as: checked above
  return isFirst ? (value as JournalHeader) : null;
}

export function journalNoteOf(value: unknown): JournalNote | null {
  try {
    return { e: 'note', ...noteOf(value) };
  } catch {
    return null;
  }
}

/** Decoded length in bytes; null if the base64 is invalid. */
function inlineSize({ text, base64 }: Readonly<Record<string, unknown>>): number | null {
  if (typeof text === 'string') return Buffer.byteLength(text);
  return typeof base64 === 'string' && BASE64.test(base64) ? Buffer.byteLength(base64, 'base64') : null;
}

/** Base64 as the recorder writes it (RFC 4648, section 4). */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
