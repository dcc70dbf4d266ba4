import { Body } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import type { EndLine, ResponseLine, TimingLine } from './format.ts';
import { merged } from './parse.ts';

/** What a replay gives of an exchange. */
export type Answer = Pick<Exchange, 'id' | 'response' | 'end'>;

const RESPONSE = Buffer.from('\n{"e":"response",');
const JSON_BODY = /^\{"e":"body","of":"response","size":(\d+),"sha256":"[0-9a-f]{64}","json":/;
/** Longer than what stands before the value. */
const LEAD = 150;
const BODY = 'b'.charCodeAt(0);
/** Where a line tells its kind: `{"e":"body"`. */
const KIND = 6;
const LF = 10;
/** What nearly all ends are. */
const COMPLETE: EndLine = { e: 'end', how: 'complete' };
const COMPLETE_END = `${JSON.stringify(COMPLETE)}\n`;

/**
 * The answer of an exchange, straight from its lines: JSON that stands in its line byte for byte is neither read nor written
 * again. Null for every other form of body, and where anything is not as expected: `parseExchange` reads those, or says what
 * is wrong.
 */
export function quickAnswer(k: number, lines: Buffer, timing: TimingLine | null): Answer | null {
  const at = lines.indexOf(RESPONSE) + 1;
  if (at === 0) return null;
  const headEnd = lines.indexOf(LF, at);
  const body = lines[headEnd + 1 + KIND] === BODY ? jsonBody(lines, headEnd + 1) : EMPTY;
  if (body === null) return null;
  const last = lines.toString('utf8', body.end ?? headEnd + 1);
  if (!last.startsWith('{"e":"end"')) return null;
  // as: written by us, and sealed by the checksum
  const { status, reason, headers } = JSON.parse(lines.toString('utf8', at, headEnd)) as ResponseLine;
  const end = last === COMPLETE_END ? COMPLETE : (JSON.parse(last) as EndLine); // as: the same
  return {
    id: `e${k + 1}`,
    response: {
      status,
      reason,
      headers: merged(headers, timing?.response),
      body: Body.of(body.bytes),
      trailers: merged(end.trailers ?? [], timing?.trailers),
      pieces: timing?.pieces?.map(([offset, at]) => ({ offset, at })) ?? [],
    },
    end: { how: end.how, detail: end.detail ?? null, at: timing?.end ?? 0 },
  };
}

interface Found {
  readonly bytes: Uint8Array;
  /** Where the next line begins; null where there was none. */
  readonly end: number | null;
}

const EMPTY: Found = { bytes: new Uint8Array(0), end: null };

/** The value in a body line; its size tells whether it is all that the line holds. */
function jsonBody(lines: Buffer, from: number): Found | null {
  const [lead, size] = JSON_BODY.exec(lines.toString('latin1', from, from + LEAD)) ?? [];
  if (lead === undefined) return null;
  const end = lines.indexOf(LF, from);
  const bytes = lines.subarray(from + lead.length, end - 1);
  return bytes.length === Number(size) ? { bytes, end: end + 1 } : null;
}
