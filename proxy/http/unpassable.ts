import type { ServerResponse } from 'node:http';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { sendProxyError } from './proxy-error.ts';

/** Characters that HTTP does not allow in a reason phrase or a field value. */
const CONTROL_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** Maximum number of fields that node's parser keeps; it silently drops further ones. */
const MAX_FIELDS = 1_000;

/**
 * Says why a response cannot be passed on: its status is not final, its reason phrase has control characters, or the
 * parser may have dropped fields. Null if it can. Node's parser has already checked the fields themselves.
 */
export function findUnpassablePart(status: number, reason: string, fieldCount: number): string | null {
  if (!(status >= 200 && status <= 999))
    return status === 101
      ? 'it switches protocols (101), which the request did not ask for'
      : `its status is ${String(status).padStart(3, '0')}, which no final response has`;
  if (fieldCount >= MAX_FIELDS) return `it has ${MAX_FIELDS.toLocaleString('en')} header fields or more`;
  return CONTROL_CHARACTER.test(reason) ? 'its reason phrase contains control characters' : null;
}

/** Like `findUnpassablePart`, for fields that no parser has checked, such as fields from a cassette. */
export function findUnpassableField(headers: HeaderPairs): string | null {
  for (const [name, value] of headers) {
    if (!TOKEN.test(name)) return `the name of its field ${JSON.stringify(name.slice(0, 80))} is not a token`;
    if (CONTROL_CHARACTER.test(value)) return `its field ${name} contains control characters`;
  }
  return null;
}

/** Sends a proxy error in place of a response that cannot be passed on; `why`: a clause about the response. */
export function refuseUnpassable(res: ServerResponse, why: string): void {
  const message = `The upstream sent a response that cannot be passed on: ${why}.`;
  sendProxyError(res, { status: 502, code: 'upstream_invalid', message });
}
