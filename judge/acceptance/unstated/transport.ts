// How the body of a request is written, apart from what it says.

import { mediaTypeOf } from '../../../exchange/http/content.ts';
import type { Json, JsonObject } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';
import { bodyOf } from '../../probe/unlabelled-violations.ts';
import type { Call } from '../../trace/call.ts';
import { bodyFeatures } from '../features.ts';
import { asksOtherwise } from './headers.ts';
import { writtenNumbers } from './written-numbers.ts';

/** Whether a body is not plainly one JSON value, or its caller asks for more than an answer in JSON. */
export function isWrittenOtherwise(body: JsonObject, call: Call): boolean {
  const { request } = call.exchange;
  if (asksOtherwise(call)) return true;
  if (JSON.stringify(body).includes('\\u0000')) return true;
  if (call.variant?.body?.carrier !== 'json') return false;
  if (mediaTypeOf(request.headers)?.essence !== 'application/json') return true;
  const text = request.body.text ?? '';
  return writtenMembers(text) > membersOf(body) || hasOtherInteger(text, call);
}

/** Whether an integer is written with a fraction or an exponent, as `1.0`: not every reader of JSON takes it for one. */
function hasOtherInteger(json: string, call: Call): boolean {
  const others = [...writtenNumbers(json)].filter(([, written]) => /[.e]/i.test(written));
  const body = others.length === 0 ? null : bodyOf(call);
  if (body === null) return false;
  const written = new Map(others);
  const { visits } = bodyFeatures(body.tree, body.value);
  return visits.some(
    ({ node, at }) =>
      written.has(at) && (node.types?.includes('integer') ?? false) && !node.types?.includes('number'),
  );
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
