import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import { isNote } from '../../exchange/trace.ts';
import { isFromClient } from '../../judge/client/client-side.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { isJsonObject } from '../../schemas/json.ts';
import {
  type SentFile,
  withFile,
  withRequest,
  withRequestHeader,
  withRequestJson,
} from '../mutations/requests.ts';
import { reserializeRequest } from './json-changes.ts';

export function equivalentRequestMutants(betaHeader: string): readonly EquivalentMutant[] {
  return [
    changeHeaders('header names in upper case', (name, value) => [name.toUpperCase(), value]),
    changeRequests('a header of an SDK', (exchange) => withRequestHeader(exchange, 'x-sdk-lang', 'js')),
    changeHeaders('the beta header of another vendor', (name, value) => [
      name.toLowerCase() === betaHeader.toLowerCase() ? 'Acme-Beta' : name,
      value,
    ]),
    changeHeaders('the authentication scheme in lower case', (name, value) => [
      name,
      value.replace(/^Bearer /, 'bearer '),
    ]),
    changeHeaders('a charset after the media type', (name, value) => [
      name,
      value === 'application/json' ? 'application/json; charset=utf-8' : value,
    ]),
    changeRequests('JSON over several lines', (exchange) =>
      reserializeRequest(exchange, (json) => JSON.stringify(json, null, 2)),
    ),
    changeRequests('non-ASCII characters as escapes', (exchange) =>
      reserializeRequest(exchange, escapeNonAscii),
    ),
    changeRequests('fields in another order', (exchange) => withRequestJson(exchange, reverseFields)),
    changeRequests('other line endings, reordered and unknown fields in a batch input', (exchange) =>
      isBatchUpload(exchange) ? withFile(exchange, 'file', respellLines) : exchange,
    ),
    changeRequests('a query parameter that is not listed', (exchange) =>
      withRequest(exchange, (request) => ({
        ...request,
        target: `${request.target}${request.target.includes('?') ? '&' : '?'}trace=1`,
      })),
    ),
  ];
}

function changeRequests(name: string, change: (exchange: Exchange) => Exchange): EquivalentMutant {
  return {
    name,
    apply: (items) => items.map((item) => (isNote(item) || !isFromClient(item) ? item : change(item))),
  };
}

function changeHeaders(
  name: string,
  change: (name: string, value: string) => readonly [name: string, value: string],
): EquivalentMutant {
  return changeRequests(name, (exchange) => {
    const { headers } = exchange.request;
    const changed = headers.map(([field, value]) => change(field, value));
    const isUnchanged = changed.every((pair, i) => pair.every((text, part) => text === headers[i]?.[part]));
    return isUnchanged ? exchange : withRequest(exchange, (request) => ({ ...request, headers: changed }));
  });
}

function escapeNonAscii(json: Json): string {
  return JSON.stringify(json).replaceAll(
    /[^\0-~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function reverseFields(json: Json): Json {
  return isJsonObject(json) ? Object.fromEntries(Object.entries(json).toReversed()) : json;
}

function isBatchUpload({ request }: Exchange): boolean {
  return (
    formDataParts(request)?.some(({ name, body }) => name === 'purpose' && body.text === 'batch') === true
  );
}

function respellLines(file: SentFile): SentFile {
  const lines = Buffer.from(file.bytes).toString().split('\n');
  const rewrittenLines = lines.map((line) => {
    const value = parseBoundedJson(line)?.value;
    return isJsonObject(value) ? JSON.stringify(reverseFields({ ...value, note: 'mine' })) : line;
  });
  return { ...file, bytes: Buffer.from(`${rewrittenLines.join('\r\n')}\r\n\r\n`) };
}
