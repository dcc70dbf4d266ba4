// How the body of a request is written, apart from what it says.

import { mediaTypeOf } from '../../../exchange/http/content.ts';
import { firstHeader } from '../../../exchange/http/headers.ts';
import type { Json, JsonObject } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';
import type { Call } from '../../trace/call.ts';

/** Types of answers of which one has to be taken by a caller who names any. */
const TAKEN = /\*\/\*|\bapplication\/(\*|json)/;

/** Whether a body is not plainly one JSON value, or its caller does not take JSON. */
export function isWrittenOtherwise(body: JsonObject, { exchange: { request }, variant }: Call): boolean {
  const accept = firstHeader(request.headers, 'accept');
  if (accept !== null && !TAKEN.test(accept)) return true;
  if (JSON.stringify(body).includes('\\u0000')) return true;
  if (variant?.body?.carrier !== 'json') return false;
  if (mediaTypeOf(request.headers)?.essence !== 'application/json') return true;
  return writtenMembers(request.body.text ?? '') > membersOf(body);
}

/** Members as they are written: each has a colon outside of texts. */
function writtenMembers(json: string): number {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
}

/** Members that are left when one of two with the same name has replaced the other. */
function membersOf(value: Json): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + membersOf(one), 0);
  if (!isObject(value)) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + 1 + membersOf(one), 0);
}
