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
  return acceptedTypes(accept).some(
    (range) =>
      range === '*/*' || types.some((type) => range === type || range === `${type.split('/', 1)[0]}/*`),
  );
}

function acceptedTypes(accept: string): readonly string[] {
  return accept.split(',').flatMap((entry) => {
    const isExcluded = /;\s*q=0(\.0*)?\s*(;|$)/i.test(entry);
    const type = parseMediaType(entry.trim())?.essence;
    return isExcluded || type === undefined ? [] : [type];
  });
}
