import type { ServerResponse } from 'node:http';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { sendProxyError } from '../forward/proxy-error.ts';

/** A character that HTTP does not allow in a reason phrase or a field value. */
const NOT_TEXT = /[^\t\x20-\x7e\x80-\xff]/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Node's parser silently drops further fields. */
const MOST_FIELDS = 1_000;

/**
 * Why a response cannot be passed on to a client: its status is not final, its reason phrase has characters that HTTP does not
 * allow, or the parser may have dropped fields. Null where it can. Its parser has already checked the fields themselves.
 */
export function unpassable(status: number, reason: string, fields: number): string | null {
  if (!(status >= 200 && status <= 999))
    return status === 101
      ? 'it switches protocols (101), which the request did not ask for'
      : `its status is ${String(status).padStart(3, '0')}, which is not that of a final answer`;
  if (fields >= MOST_FIELDS) return `it has more than ${MOST_FIELDS.toLocaleString('en')} header fields`;
  return NOT_TEXT.test(reason) ? 'its reason phrase holds control characters' : null;
}

/** As `unpassable`, for fields that no parser has checked, such as those of a cassette. */
export function unpassableField(headers: HeaderPairs): string | null {
  for (const [name, value] of headers) {
    if (!TOKEN.test(name)) return `the name of its field ${JSON.stringify(name.slice(0, 80))} is not a token`;
    if (NOT_TEXT.test(value)) return `its field ${name} holds control characters`;
  }
  return null;
}

/** Sends a proxy error in place of a response that cannot be passed on; `why` is a phrase from `unpassable`. */
export function refuseUnpassable(res: ServerResponse, why: string): void {
  const message = `The upstream answered, but not as HTTP allows: ${why}.`;
  sendProxyError(res, { status: 502, code: 'upstream_invalid', message });
}
