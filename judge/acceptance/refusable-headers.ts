import { parseMediaType } from '../../exchange/http/content.ts';
import { allHeaders } from '../../exchange/http/headers.ts';
import { expectedShape } from '../schema/response-shape.ts';
import type { Call } from '../trace/call.ts';

/** Conditions, ranges and expectations, for which a service may refuse a request (RFC 9110, sections 10, 13 and 14). */
const REFUSABLE_HEADERS = /^(?:expect|range|if-(?:(?:un)?modified-since|(?:none-)?match|range))$/i;

export function hasRefusableHeaders(call: Call): boolean {
  const { headers } = call.exchange.request;
  return headers.some(([name]) => REFUSABLE_HEADERS.test(name)) || !acceptsResponseType(call);
}

function acceptsResponseType(call: Call): boolean {
  const accept = allHeaders(call.exchange.request.headers, 'accept').join(',');
  if (accept.trim() === '') return true;
  const { contentType = 'application/json', events = null } = expectedShape(call) ?? {};
  // Streams are also requested by clients that accept only JSON, and errors of streams are JSON.
  const types = [contentType, ...(events === null ? [] : ['application/json'])];
  const ranges = parseAccept(accept);
  // The most specific range applies: `*/*` does not accept a type that another range excludes.
  return types.some((type) =>
    [type, `${type.split('/', 1)[0]}/*`, '*/*']
      .map((range) => ranges.get(range))
      .find((isAccepted) => isAccepted !== undefined),
  );
}

/** By media range: whether it is accepted, that is, without `q=0`. */
function parseAccept(accept: string): ReadonlyMap<string, boolean> {
  return new Map(
    accept.split(',').flatMap((entry) => {
      const range = parseMediaType(entry.trim())?.essence;
      return range === undefined ? [] : [[range, !/;\s*q=0(\.0*)?\s*(;|$)/i.test(entry)] as const];
    }),
  );
}
