// Files of recorders other than browsers, as JSON or YAML:
// - nock: `nock.recorder.rec({ output_objects: true })`. Bodies are JSON values, text, or hexadecimal digits;
//   compressed ones are lists of these (nock, lib/recorder.js).
// - VCR for Ruby (`http_interactions`) and Python (`interactions`): vcr lib/vcr/structs.rb; vcrpy vcr/serialize.py.
// - lists of requests with responses: snapshots of undici's SnapshotAgent (`[{ snapshot: { request, responses } }]`),
//   files of test agents (`{ request, response }`), those of the Azure test proxy (`{ Entries: [{ RequestUri, … }] }`),
//   and lists under other names. Case and underscores in the names of members are ignored.
// Times that some of them record are ignored, so the order of the exchanges is unknown.

import { isObject } from '../../schemas/json.ts';
import type { HeaderPairs } from '../exchange.ts';
import { contentCodings } from '../http/content.ts';
import { firstHeader } from '../http/headers.ts';
import { importOptionalPeer } from '../optional-peer.ts';
import { isHex } from './content.ts';
import { FormatError } from './format.ts';
import type { PlainEntry } from './plain-entry.ts';

type Members = Readonly<Record<string, unknown>>;

const UNTIMED = { error: null, times: null } as const;

/**
 * Header fields as recorders write them: an object, whose values may be lists; a flat list of names and values; a list
 * of pairs; or a list of objects with name and value.
 */
function headersOf(value: unknown): HeaderPairs {
  if (isFlatList(value))
    return value.flatMap((name, i) =>
      i % 2 === 0 ? [[String(name), String(value[i + 1] ?? '')] as const] : [],
    );
  const fields = Array.isArray(value) ? value : Object.entries(isObject(value) ? value : {});
  return fields.flatMap((field: unknown) => {
    const [name, values] = isObject(field) ? [field['name'], field['value']] : [field].flat();
    return [values].flat().map((item) => [String(name), headerText(item)] as const);
  });
}

function isFlatList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((element) => typeof element !== 'object');
}

function headerText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}

/** Reads a status that is a number, or an object with code and message; null if there is no code. */
function statusOf(
  status: unknown,
  text: unknown = '',
): { readonly status: number; readonly reason: string } | null {
  const { code, message } = isObject(status) ? status : { code: status, message: text };
  if (typeof code !== 'number') return null;
  return { status: code, reason: typeof message === 'string' ? message : '' };
}

/** Adds the content type that the body reveals, because some recorders leave out the header fields of requests. */
function withType(headers: HeaderPairs, body: Buffer, types: 'json' | 'json-and-forms'): HeaderPairs {
  if (body.length === 0 || firstHeader(headers, 'content-type') !== null) return headers;
  const text = body.toString();
  const boundary = types === 'json' ? undefined : /^--([^\r\n]+)\r\n/.exec(text)?.[1];
  if (boundary !== undefined)
    return [...headers, ['content-type', `multipart/form-data; boundary=${boundary}`]];
  return /^\s*[[{]/.test(text) ? [...headers, ['content-type', 'application/json']] : headers;
}

// ---- nock

export function isNockRecording(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every((call) => isObject(call) && 'scope' in call);
}

/** Reads the calls of a nock recording. Throws FormatError. */
export function nockEntries(recording: readonly unknown[]): PlainEntry[] {
  return recording.map((call, n) => {
    const { scope, path, method = 'GET', status = 200 } = isObject(call) ? call : {};
    const isWhole = typeof scope === 'string' && typeof path === 'string' && typeof method === 'string';
    if (!isObject(call) || !isWhole || typeof status !== 'number')
      throw new FormatError(`[${n}] has no scope, path, method or status as nock records them`);
    const headers = headersOf(call['rawHeaders'] ?? call['headers']);
    const requestHeaders = headersOf(call['reqheaders']);
    const requestBody = nockRequestBody(call['body'], requestHeaders);
    return {
      method,
      url: `${scope.replace(/:(?:80|443)$/, '')}${path}`,
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
  const isCoded = contentCodings(headers).length > 0;
  if (
    isCoded &&
    Array.isArray(response) &&
    response.every((piece) => typeof piece === 'string' && isHex(piece))
  )
    return Buffer.concat(response.map((piece) => Buffer.from(String(piece), 'hex')));
  if (typeof response !== 'string')
    return Buffer.from(response === undefined ? '' : JSON.stringify(response));
  return responseIsBinary === true && isHex(response) ? Buffer.from(response, 'hex') : Buffer.from(response);
}

// ---- VCR

interface VcrCassette {
  readonly key: 'http_interactions' | 'interactions';
  readonly interactions: readonly unknown[];
}

/** The interactions of a VCR cassette; null if the document is not one. */
export function vcrCassette(value: unknown): VcrCassette | null {
  if (!isObject(value)) return null;
  for (const key of ['http_interactions', 'interactions'] as const) {
    const interactions = value[key];
    if (Array.isArray(interactions)) return { key, interactions };
  }
  return null;
}

export function looksLikeVcr(text: string): boolean {
  return /^(?:---\s*)?(?:\w+:.*\n|\s*\n)*?(?:http_)?interactions:/.test(text.slice(0, 2000));
}

/** Rejects with MissingPeer if the package `yaml` is not installed, and with FormatError if the text is not YAML. */
export async function readYaml(text: string): Promise<unknown> {
  const { parse } = await importOptionalPeer('yaml', 'Reading a VCR cassette', () => import('yaml'));
  const binary = { tag: '!binary', resolve: (value: string) => Buffer.from(value, 'base64') };
  try {
    // Both programs write YAML 1.1, in which binary text has a tag. Warnings of the parser are about its own defaults.
    return parse(text, {
      schema: 'yaml-1.1',
      customTags: (tags) => [...tags, binary],
      uniqueKeys: false,
      logLevel: 'error',
    });
  } catch (error) {
    throw new FormatError(`is not valid YAML: ${error instanceof Error ? error.message.split('\n')[0] : ''}`);
  }
}

/** Reads the interactions of a VCR cassette. Throws FormatError. */
export function vcrEntries({ key, interactions }: VcrCassette): PlainEntry[] {
  return interactions.map((interaction, n) => {
    const { request, response } = isObject(interaction) ? interaction : {};
    const place = `${key}[${n}]`;
    if (!isObject(request) || !isObject(response))
      throw new FormatError(`${place} has no request or no response`);
    const { method, uri } = request;
    if (typeof method !== 'string' || typeof uri !== 'string')
      throw new FormatError(`${place}.request has no method or no uri`);
    // Older versions of vcrpy write a number.
    const status = statusOf(response['status'] ?? response['status_code']);
    if (status === null) throw new FormatError(`${place}.response.status has no code`);
    return {
      method: method.toUpperCase(),
      url: uri,
      headers: headersOf(request['headers']),
      requestBody: vcrBody(request['body']),
      // The stub of vcrpy for httpx, up to version 5, writes `status_code` and `content`.
      response: {
        ...status,
        headers: headersOf(response['headers']),
        body: vcrBody(response['body'] ?? response['content']),
      },
      ...UNTIMED,
    };
  });
}

function vcrBody(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (!isObject(value)) return Buffer.alloc(0);
  const { string, base64_string: base64 } = value;
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : vcrBody(string);
}

// ---- lists of requests with their responses

interface Pair {
  readonly request: Members;
  /** Responses in the order in which equal requests received them. */
  readonly responses: readonly Members[];
  /** Whether the bodies of the responses are always base64. */
  readonly isBase64: boolean;
}

/** The pairs of a document; null if it is neither a pair nor a list of pairs. */
export function requestPairs(document: unknown): readonly Pair[] | null {
  const single = pairOf(document);
  if (single !== null) return [single];
  const lists = Array.isArray(document) ? [document] : Object.values(isObject(document) ? document : {});
  for (const list of lists) {
    if (!Array.isArray(list) || list.length === 0) continue;
    const pairs = list.flatMap((element) => pairOf(element) ?? []);
    // Other lists in a file, such as variables, are not exchanges.
    if (pairs.length === list.length) return pairs;
  }
  return null;
}

/** Reads requests with their responses. Throws FormatError. */
export function pairEntries(pairs: readonly Pair[]): PlainEntry[] {
  return pairs.flatMap(({ request, responses, isBase64 }, n) => {
    const method = request['method'];
    const url = pairUrl(request);
    if (typeof method !== 'string' || url === null)
      throw new FormatError(`the request of pair ${n} has no method, or no URL with a host`);
    const requestBody = pairBody(request, false);
    const headers = withType(headersOf(request['headers']), requestBody, 'json');
    return responses.map((response) => {
      const status = statusOf(response['statuscode'] ?? response['status'], response['statustext']);
      if (status === null) throw new FormatError(`the response of pair ${n} has no status`);
      const received = {
        ...status,
        headers: headersOf(response['headers']),
        body: pairBody(response, isBase64),
      };
      return { method: method.toUpperCase(), url, headers, requestBody, response: received, ...UNTIMED };
    });
  });
}

/** A request with at least one response; null for anything else. */
function pairOf(value: unknown): Pair | null {
  const members = membersOf(value);
  if (members === null) return null;
  if ('requesturi' in members && 'statuscode' in members) return flatPair(members);
  const snapshot = membersOf(members['snapshot']);
  const { request, response, responses } = snapshot ?? members;
  const requestMembers = membersOf(request);
  const parsed = [responses ?? response].flat().map(membersOf);
  if (requestMembers === null || parsed.length === 0 || parsed.includes(null)) return null;
  const isBase64 = snapshot !== null;
  return { request: requestMembers, responses: parsed.filter((members) => members !== null), isBase64 };
}

/** The Azure test proxy writes request and response into one object. */
function flatPair(members: Members): Pair {
  const { requestmethod: method, requesturi: url, requestheaders, requestbody } = members;
  const { statuscode, responseheaders, responsebody } = members;
  return {
    request: { method, url, headers: requestheaders, body: requestbody },
    responses: [{ statuscode, headers: responseheaders, body: responsebody }],
    isBase64: false,
  };
}

/** The members under normalised names: `status_code`, `statusCode` and `StatusCode` become `statuscode`. */
function membersOf(value: unknown): Members | null {
  if (!isObject(value)) return null;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.replaceAll('_', '').toLowerCase(), inner]),
  );
}

function pairUrl({ url, uri, path, headers }: Members): string | null {
  const text = url ?? uri ?? path;
  if (typeof text !== 'string') return null;
  if (/^https?:\/\//i.test(text)) return text;
  const host = firstHeader(headersOf(headers), 'host');
  return host !== null && text.startsWith('/') ? `https://${host}${text}` : null;
}

/** Decodes text, a JSON value, or base64. `isAlwaysBase64`: the recorder writes nothing else. */
function pairBody(message: Members, isAlwaysBase64: boolean): Buffer {
  const body = message['body'] ?? message['content'];
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body !== 'string') return Buffer.from(JSON.stringify(body));
  const coding = message['encoding'] ?? message['bodyencoding'];
  const isBase64 = isAlwaysBase64 || coding === 'base64' || message['isbase64encoded'] === true;
  return Buffer.from(body, isBase64 ? 'base64' : 'utf8');
}
