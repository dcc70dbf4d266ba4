import { Body } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import type { EndLine, ResponseLine, TimingLine } from './format.ts';
import { merged } from './parse.ts';

/** What a replay gives of an exchange. */
export interface Answer extends Pick<Exchange, 'id' | 'response' | 'end'> {
  /** The body of the response in latin1, a character for each byte, where it stands in its line as it is. */
  readonly latin1?: string | null;
}

const RESPONSE = '\n{"e":"response",';
const JSON_BODY = /\{"e":"body","of":"response","size":(\d+),"sha256":"([0-9a-f]{64})","json":/y;
const BODY = '{"e":"body",';
/** What nearly all ends are. */
const COMPLETE: EndLine = { e: 'end', how: 'complete' };
const COMPLETE_END = `${JSON.stringify(COMPLETE)}\n`;
const END = '{"e":"end"';

/**
 * The answer of an exchange, straight from its lines (in latin1): JSON that stands in its line byte for byte is neither read
 * nor written again. Null for every other form of body, and where anything is not as expected: `parseExchange` reads those,
 * or says what is wrong.
 */
export function quickAnswer(k: number, lines: string, timing: TimingLine | null): Answer | null {
  const at = lines.indexOf(RESPONSE) + 1;
  if (at === 0) return null;
  const next = lines.indexOf('\n', at) + 1;
  const body = lines.startsWith(BODY, next) ? jsonBody(lines, next) : { ...EMPTY, end: next };
  if (body === null || !lines.startsWith(END, body.end)) return null;
  const { status, reason, headers } = headOf(lines.slice(at, next - 1));
  const last = lines.slice(body.end);
  const end = last === COMPLETE_END ? COMPLETE : endOf(last);
  return {
    id: `e${k + 1}`,
    latin1: body.latin1,
    response: {
      status,
      reason,
      headers: merged(headers, timing?.response),
      body: body.body,
      trailers: merged(end.trailers ?? NONE, timing?.trailers),
      pieces: timing?.pieces?.map(([offset, at]) => ({ offset, at })) ?? NONE,
    },
    end: { how: end.how, detail: end.detail ?? null, at: timing?.end ?? 0 },
  };
}

interface Found {
  readonly latin1: string | null;
  readonly body: Body;
  /** Where the next line begins. */
  readonly end: number;
}

const EMPTY = { latin1: null, body: Body.empty };
const NONE: readonly never[] = [];

/** The value in a body line; its size tells whether it is all that the line holds. */
function jsonBody(lines: string, from: number): Found | null {
  JSON_BODY.lastIndex = from;
  const [lead, digits, sha256] = JSON_BODY.exec(lines) ?? [];
  if (lead === undefined || sha256 === undefined) return null;
  const size = Number(digits);
  const start = from + lead.length;
  const end = start + size + '}\n'.length;
  if (lines.indexOf('\n', start) !== end - 1) return null;
  const latin1 = lines.slice(start, start + size);
  return { latin1, body: Body.stored(sha256, size, () => Buffer.from(latin1, 'latin1')), end };
}

/** Most answers begin alike: so many beginnings are remembered. */
const MOST = 1_000;
const heads = new Map<string, ResponseLine>();

function headOf(line: string): ResponseLine {
  const known = heads.get(line);
  if (known !== undefined) return known;
  const bytes = Buffer.from(line, 'latin1');
  const head = JSON.parse(bytes.toString()) as ResponseLine; // as: written by us, and sealed by the checksum
  if (heads.size >= MOST) heads.clear();
  // Not the line itself, which would keep all that it was cut out of.
  heads.set(bytes.toString('latin1'), head);
  return head;
}

function endOf(line: string): EndLine {
  return JSON.parse(Buffer.from(line, 'latin1').toString()) as EndLine; // as: written by us, and sealed by the checksum
}
