import type { ServerResponse } from 'node:http';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { sendProxyError } from '../forward/proxy-error.ts';

/** What HTTP allows in a reason phrase and in the value of a field. */
const NOT_TEXT = /[^\t\x20-\x7e\x80-\xff]/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Node's parser leaves out, without a word, what comes after so many fields. */
const MOST_FIELDS = 1_000;

/**
 * Why an answer cannot go on to a client: its status is none of a final answer, its reason phrase holds what HTTP does not
 * allow there, or it has more fields than are known. Null where it can. Fields that came through a parser need no look.
 */
export function unpassable(status: number, reason: string, fields: number): string | null {
  if (!(status >= 200 && status <= 999))
    return status === 101
      ? 'it switches protocols (101), which the request did not ask for'
      : `its status is ${String(status).padStart(3, '0')}, which is not that of a final answer`;
  if (fields >= MOST_FIELDS) return `it has more than ${MOST_FIELDS.toLocaleString('en')} header fields`;
  return NOT_TEXT.test(reason) ? 'its reason phrase holds control characters' : null;
}

/** As `unpassable`, for the fields of an answer that came through no parser; also their names are looked at. */
export function unpassableField(headers: HeaderPairs): string | null {
  for (const [name, value] of headers) {
    if (!TOKEN.test(name)) return `the name of its field ${JSON.stringify(name.slice(0, 80))} is not a token`;
    if (NOT_TEXT.test(value)) return `its field ${name} holds control characters`;
  }
  return null;
}

/** Answers in place of an upstream whose answer cannot go on. */
export function refuseUnpassable(res: ServerResponse, why: string): void {
  sendProxyError(res, 502, 'upstream_invalid', `The upstream answered, but not as HTTP allows: ${why}.`);
}
