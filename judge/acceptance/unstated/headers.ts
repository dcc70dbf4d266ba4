// What the header fields of a request ask for beyond the specification.
import { parseMediaType } from '../../../exchange/http/content.ts';
import { allHeaders } from '../../../exchange/http/headers.ts';
import { expectedShape } from '../../schema/expected-shape.ts';
import type { Call } from '../../trace/call.ts';

/** Fields that make a request depend on a condition, or ask for a part or a way of the answer (RFC 9110, sections 10, 13 and 14). */
const CONDITIONS: ReadonlySet<string> = new Set([
  'expect',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
]);

/** Whether the header fields of a request give a reason to refuse it: a condition, or types of answers without the one that is required. */
export function asksOtherwise(call: Call): boolean {
  const { headers } = call.exchange.request;
  return headers.some(([name]) => CONDITIONS.has(name.toLowerCase())) || !takesAnswer(call);
}

/** Whether a caller takes the type of the answer: all are taken where none is named. */
function takesAnswer(call: Call): boolean {
  const accept = allHeaders(call.exchange.request.headers, 'accept').join(',');
  if (accept.trim() === '') return true;
  const { contentType = 'application/json', events = null } = expectedShape(call) ?? {};
  // Clients that take JSON ask for streams as well, whose errors are JSON.
  const isJsonTaken = contentType === 'application/json' || events !== null;
  const due = [contentType, ...(isJsonTaken ? ['application/json'] : [])];
  return takenTypes(accept).some(
    (taken) =>
      taken === '*/*' || due.some((type) => taken === type || taken === `${type.split('/', 1)[0]}/*`),
  );
}

/** Media types and ranges of a list, without those that are refused by `q=0`. */
function takenTypes(accept: string): readonly string[] {
  return accept.split(',').flatMap((entry) => {
    const isRefused = /;\s*q=0(\.0*)?\s*(;|$)/i.test(entry);
    const type = parseMediaType(entry.trim())?.essence;
    return isRefused || type === undefined ? [] : [type];
  });
}
