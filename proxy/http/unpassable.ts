import type { ServerResponse } from 'node:http';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { isToken } from '../../exchange/http/headers.ts';
import { sendProxyError } from './proxy-error.ts';

export const UNREQUESTED_SWITCH = 'it switches protocols (101), which the request did not ask for';
const INVALID_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;
/** Maximum number of fields that node's parser keeps; it silently drops further ones. */
const MAX_FIELDS = 1_000;

/**
 * Null if these can be passed on. Node's parser has checked the fields of a received response; those of a recorded one
 * need `findUnpassableField` too.
 */
export function findUnpassablePart(status: number, reason: string, fieldCount: number): string | null {
  if (!(status >= 200 && status <= 999))
    return status === 101
      ? UNREQUESTED_SWITCH
      : `its status is ${String(status).padStart(3, '0')}, which no final response has`;
  if (fieldCount >= MAX_FIELDS) return `it has ${MAX_FIELDS.toLocaleString('en')} header fields or more`;
  return INVALID_CHARACTER.test(reason) ? 'its reason phrase contains characters that HTTP forbids' : null;
}

export function findUnpassableField(headers: HeaderPairs): string | null {
  for (const [name, value] of headers) {
    if (!isToken(name)) return `the name of its field ${JSON.stringify(name.slice(0, 80))} is not a token`;
    if (INVALID_CHARACTER.test(value)) return `its field ${name} contains characters that HTTP forbids`;
  }
  return null;
}

export function refuseUnpassable(res: ServerResponse, why: string): void {
  const message = `The upstream sent a response that cannot be passed on: ${why}.`;
  sendProxyError(res, { status: 502, code: 'upstream_invalid', message });
}
