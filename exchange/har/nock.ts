// Recordings of nock: `nock.recorder.rec({ output_objects: true })`. Bodies are JSON values, text, or hexadecimal
// digits; compressed ones are lists of hexadecimal digits (nock, lib/recorder.js).
import { isObject } from '../../schemas/json.ts';
import type { HeaderPairs } from '../exchange.ts';
import { contentCodings } from '../http/content.ts';
import { firstHeader } from '../http/headers.ts';
import { isHex } from './content.ts';
import { FormatError } from './format.ts';
import type { PlainEntry } from './plain-entry.ts';
import { headersOf, isStatus, type Members, UNTIMED, withType } from './recorder-fields.ts';

/** Also true for an empty list, which nock writes if no request was sent. */
export function isNockRecording(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((call) => isObject(call) && 'scope' in call);
}

export function nockEntries(recording: readonly unknown[]): PlainEntry[] {
  return recording.map((call, n) => {
    const { scope, path, method = 'GET', status = 200 } = isObject(call) ? call : {};
    const isComplete = typeof scope === 'string' && typeof path === 'string' && typeof method === 'string';
    if (!isObject(call) || !isComplete || !isStatus(status))
      throw new FormatError(`[${n}] has no scope, path, method or status as nock records them`);
    const headers = headersOf(call['rawHeaders'] ?? call['headers']);
    const requestHeaders = headersOf(call['reqheaders']);
    const requestBody = nockRequestBody(call['body'], requestHeaders);
    return {
      method,
      url: `${scope}${path}`,
      headers: withType(requestHeaders, requestBody, 'json-and-forms'),
      requestBody,
      response: { status, reason: '', headers, body: nockResponseBody(call, headers) },
      ...UNTIMED,
    };
  });
}

function nockRequestBody(body: unknown, headers: HeaderPairs): Buffer {
  if (body === undefined || body === null || body === '') return Buffer.alloc(0);
  if (typeof body !== 'string') return Buffer.from(JSON.stringify(body));
  const isText = /json|text|urlencoded/.test(firstHeader(headers, 'content-type') ?? 'text');
  return isHex(body) && !isText ? Buffer.from(body, 'hex') : Buffer.from(body);
}

function nockResponseBody({ response, responseIsBinary }: Members, headers: HeaderPairs): Buffer {
  const pieces: unknown = contentCodings(headers).length > 0 ? response : null;
  if (Array.isArray(pieces) && pieces.every((piece) => typeof piece === 'string' && isHex(piece)))
    return Buffer.concat(pieces.map((piece) => Buffer.from(String(piece), 'hex')));
  if (typeof response !== 'string')
    return Buffer.from(response === undefined ? '' : JSON.stringify(response));
  return responseIsBinary === true && isHex(response) ? Buffer.from(response, 'hex') : Buffer.from(response);
}
