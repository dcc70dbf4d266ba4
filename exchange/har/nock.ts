// Recordings of nock: `nock.recorder.rec({ output_objects: true })`, written as JSON. Bodies are JSON values, text, or
// hexadecimal digits; compressed ones are lists of these (nock, lib/recorder.js).

import { isObject } from '../../schemas/json.ts';
import type { HeaderPairs } from '../exchange.ts';
import { contentCodings } from '../http/content.ts';
import { firstHeader } from '../http/headers.ts';
import { isHex } from './content.ts';
import { FormatError, type PlainEntry } from './plain-entry.ts';

export function isNockRecording(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && 'scope' in one);
}

/** nock records no times, so the order is unknown. Throws FormatError. */
export function nockEntries(recording: readonly unknown[]): PlainEntry[] {
  return recording.map((call, n) => {
    const { scope, path, method = 'GET', status = 200 } = isObject(call) ? call : {};
    const isWhole = typeof scope === 'string' && typeof path === 'string' && typeof method === 'string';
    if (!isObject(call) || !isWhole || typeof status !== 'number')
      throw new FormatError(`[${n}] has no scope, path, method or status as nock records them`);
    const headers = headersOf(call['rawHeaders'] ?? call['headers']);
    const asked = headersOf(call['reqheaders']);
    const sent = requestBody(call['body'], asked);
    return {
      method,
      url: `${scope.replace(/:(?:80|443)$/, '')}${path}`,
      headers: withType(asked, sent),
      sent,
      response: { status, reason: '', headers, body: responseBody(call, headers) },
      error: null,
      times: null,
    };
  });
}

/** Header fields are a flat list of names and values, or an object. */
function headersOf(value: unknown): HeaderPairs {
  if (Array.isArray(value)) {
    const texts = value.map(String);
    return texts.flatMap((name, i) => (i % 2 === 0 ? [[name, texts[i + 1] ?? ''] as const] : []));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, given]) =>
    [given].flat().map((one) => [name, String(one)] as const),
  );
}

function requestBody(body: unknown, headers: HeaderPairs): Buffer {
  if (body === undefined || body === null || body === '') return Buffer.alloc(0);
  if (typeof body !== 'string') return Buffer.from(JSON.stringify(body));
  const isText = /json|text|urlencoded/.test(firstHeader(headers, 'content-type') ?? 'text');
  return isHex(body) && !isText ? Buffer.from(body, 'hex') : Buffer.from(body);
}

/** nock records request headers only on demand, so the content type is inferred from the body. */
function withType(headers: HeaderPairs, sent: Buffer): HeaderPairs {
  if (sent.length === 0 || firstHeader(headers, 'content-type') !== null) return headers;
  const text = sent.toString();
  const boundary = /^--([^\r\n]+)\r\n/.exec(text)?.[1];
  if (boundary !== undefined)
    return [...headers, ['content-type', `multipart/form-data; boundary=${boundary}`]];
  return /^\s*[[{]/.test(text) ? [...headers, ['content-type', 'application/json']] : headers;
}

function responseBody(call: { readonly [name: string]: unknown }, headers: HeaderPairs): Buffer {
  const { response, responseIsBinary } = call;
  const isCoded = contentCodings(headers).length > 0;
  if (isCoded && Array.isArray(response) && response.every((one) => typeof one === 'string' && isHex(one)))
    return Buffer.concat(response.map((one) => Buffer.from(String(one), 'hex')));
  if (typeof response !== 'string')
    return Buffer.from(response === undefined ? '' : JSON.stringify(response));
  return responseIsBinary === true && isHex(response) ? Buffer.from(response, 'hex') : Buffer.from(response);
}
