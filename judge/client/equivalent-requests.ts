// Ways in which clients may write the same request: none of them is a mistake.
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { isNote } from '../../exchange/trace.ts';
import { isJsonObject } from '../../schemas/json.ts';
import type { EquivalentMutant } from '../mutation-testing/equivalent-mutants/equivalent-mutant.ts';
import { withRequest, withRequestBody, withRequestHeader, withRequestJson } from '../mutations/requests.ts';
import { isOfClient } from './client-side.ts';

/** The equivalent mutants of requests. */
export function equivalentRequests(betaHeader: string): readonly EquivalentMutant[] {
  return [
    ofRequests('header names in upper case', (exchange) =>
      withRequest(exchange, (request) => ({
        ...request,
        headers: request.headers.map(([name, value]) => [name.toUpperCase(), value] as const),
      })),
    ),
    ofRequests('a header of an SDK', (exchange) => withRequestHeader(exchange, 'x-sdk-lang', 'js')),
    ofRequests('the beta header of another vendor', (exchange) => otherVendor(exchange, betaHeader)),
    ofRequests('the scheme of the key in lower case', (exchange) => withScheme(exchange)),
    ofRequests('a charset beside the media type', (exchange) => withCharset(exchange)),
    ofRequests('JSON over several lines', (exchange) =>
      rewritten(exchange, (json) => JSON.stringify(json, null, 2)),
    ),
    ofRequests('letters beyond ASCII escaped', (exchange) => rewritten(exchange, escaped)),
    ofRequests('fields in another order', (exchange) => withRequestJson(exchange, reversed)),
    ofRequests('a query parameter that is not listed', (exchange) =>
      withRequest(exchange, (request) => ({
        ...request,
        target: `${request.target}${request.target.includes('?') ? '&' : '?'}trace=1`,
      })),
    ),
  ];
}

function ofRequests(name: string, change: (exchange: Exchange) => Exchange): EquivalentMutant {
  return {
    name,
    apply: (items) => items.map((item) => (isNote(item) || !isOfClient(item) ? item : change(item))),
  };
}

function otherVendor(exchange: Exchange, betaHeader: string): Exchange {
  return withRequest(exchange, (request) => ({
    ...request,
    headers: request.headers.map(([name, value]) =>
      name.toLowerCase() === betaHeader.toLowerCase()
        ? (['Acme-Beta', value] as const)
        : ([name, value] as const),
    ),
  }));
}

function withScheme(exchange: Exchange): Exchange {
  return withRequest(exchange, (request) => ({
    ...request,
    headers: request.headers.map(([name, value]) => [name, value.replace(/^Bearer /, 'bearer ')] as const),
  }));
}

function withCharset(exchange: Exchange): Exchange {
  return withRequest(exchange, (request) => ({
    ...request,
    headers: request.headers.map(
      ([name, value]) =>
        [name, value === 'application/json' ? 'application/json; charset=utf-8' : value] as const,
    ),
  }));
}

function rewritten(exchange: Exchange, write: (json: Json) => string): Exchange {
  const json = exchange.request.body.size === 0 ? null : exchange.request.body.json;
  return json === null ? exchange : withRequestBody(exchange, write(json.value));
}

function escaped(json: Json): string {
  return JSON.stringify(json).replaceAll(
    /[^\0-~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function reversed(json: Json): Json {
  return isJsonObject(json) ? Object.fromEntries(Object.entries(json).toReversed()) : json;
}
