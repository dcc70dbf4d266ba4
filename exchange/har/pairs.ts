// Lists of requests with their responses, as JSON: the snapshots of undici's SnapshotAgent (`[{ snapshot: { request, responses } }]`), the
// files of test agents (`{ request, response }`), those of the Azure test proxy (`{ Entries: [{ RequestUri, … }] }`), and lists under
// other names. Names of members are compared without case and underscores.

import { isObject } from '../../schemas/json.ts';
import type { HeaderPairs } from '../exchange.ts';
import { firstHeader } from '../http/headers.ts';
import { FormatError, type PlainEntry } from './plain-entry.ts';

type Members = Readonly<Record<string, unknown>>;

interface Pair {
  readonly request: Members;
  /** In the order in which equal requests got them. */
  readonly responses: readonly Members[];
  /** Whether bodies of responses are always base64. */
  readonly isCoded: boolean;
}

/** The pairs of a document; null if it is neither a pair nor a list of pairs. */
export function requestPairs(document: unknown): readonly Pair[] | null {
  const single = pairOf(document);
  if (single !== null) return [single];
  const lists = Array.isArray(document) ? [document] : Object.values(isObject(document) ? document : {});
  for (const list of lists) {
    if (!Array.isArray(list) || list.length === 0) continue;
    const pairs = list.flatMap((one) => pairOf(one) ?? []);
    // Other lists in a file, such as variables, are not exchanges.
    if (pairs.length === list.length) return pairs;
  }
  return null;
}

/** No common order is stated, so no times are. Throws FormatError. */
export function pairEntries(pairs: readonly Pair[]): PlainEntry[] {
  return pairs.flatMap(({ request, responses, isCoded }, n) => {
    const method = request['method'];
    const url = urlOf(request);
    if (typeof method !== 'string' || url === null)
      throw new FormatError(`the request of pair ${n} has no method, or no URL with a host`);
    const headers = headersOf(request['headers']);
    const sent = bodyOf(request, 'body', false);
    const asked = { method: method.toUpperCase(), url, headers: withJsonType(headers, sent), sent };
    return responses.map((response) => {
      const { status, reason } = statusOf(response, n);
      const body = bodyOf(response, 'body', isCoded);
      const received = { status, reason, headers: headersOf(response['headers']), body };
      return { ...asked, response: received, error: null, times: null };
    });
  });
}

/** Null for anything but a request with at least one response. */
function pairOf(value: unknown): Pair | null {
  const members = membersOf(value);
  if (members === null) return null;
  if ('requesturi' in members && 'statuscode' in members) return flatPair(members);
  const snapshot = membersOf(members['snapshot']);
  const { request, response, responses } = snapshot ?? members;
  const asked = membersOf(request);
  const answers = [responses ?? response].flat().map(membersOf);
  if (asked === null || answers.length === 0 || answers.includes(null)) return null;
  return { request: asked, responses: answers.filter((one) => one !== null), isCoded: snapshot !== null };
}

/** The Azure test proxy writes request and response into one object. */
function flatPair(members: Members): Pair {
  const { requestmethod: method, requesturi: url, requestheaders, requestbody } = members;
  const { statuscode, responseheaders, responsebody } = members;
  return {
    request: { method, url, headers: requestheaders, body: requestbody },
    responses: [{ statuscode, headers: responseheaders, body: responsebody }],
    isCoded: false,
  };
}

/** `status_code`, `statusCode` and `StatusCode` become `statuscode`. */
function membersOf(value: unknown): Members | null {
  if (!isObject(value)) return null;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.replaceAll('_', '').toLowerCase(), inner]),
  );
}

function urlOf({ url, uri, path, headers }: Members): string | null {
  const text = url ?? uri ?? path;
  if (typeof text !== 'string') return null;
  if (/^https?:\/\//i.test(text)) return text;
  const host = firstHeader(headersOf(headers), 'host');
  return host !== null && text.startsWith('/') ? `https://${host}${text}` : null;
}

function statusOf(response: Members, n: number): { readonly status: number; readonly reason: string } {
  const given = response['statuscode'] ?? response['status'];
  const { code, message } = isObject(given) ? given : { code: given, message: response['statustext'] };
  if (typeof code !== 'number') throw new FormatError(`the response of pair ${n} has no status`);
  return { status: code, reason: typeof message === 'string' ? message : '' };
}

/** An object, whose values may be lists, a list of pairs, or a list of objects with name and value. */
function headersOf(value: unknown): HeaderPairs {
  const fields = Array.isArray(value) ? value : Object.entries(isObject(value) ? value : {});
  return fields.flatMap((field: unknown) => {
    const [name, given] = isObject(field) ? [field['name'], field['value']] : [field].flat();
    return [given].flat().map((one) => [String(name), String(one)] as const);
  });
}

/** Text, a JSON value, or base64. `isCoded`: the recorder always writes base64. */
function bodyOf(message: Members, name: string, isCoded: boolean): Buffer {
  const body = message[name] ?? message['content'];
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body !== 'string') return Buffer.from(JSON.stringify(body));
  const coding = message['encoding'] ?? message['bodyencoding'];
  const isBase64 = isCoded || coding === 'base64' || message['isbase64encoded'] === true;
  return Buffer.from(body, isBase64 ? 'base64' : 'utf8');
}

/** Some recorders leave the header fields of requests out; the body shows its type. */
function withJsonType(headers: HeaderPairs, sent: Buffer): HeaderPairs {
  const isKnown = sent.length === 0 || firstHeader(headers, 'content-type') !== null;
  return isKnown || !/^\s*[[{]/.test(sent.toString())
    ? headers
    : [...headers, ['content-type', 'application/json']];
}
