// Lists of requests with responses: snapshots of undici's SnapshotAgent (`[{ snapshot: { request, responses } }]`),
// files of test agents (`{ request, response }`), those of the Azure test proxy (`{ Entries: [{ RequestUri, … }] }`),
// and lists under other names. Case and underscores in the names of members are ignored.
import { isObject } from '../../schemas/json.ts';
import { parseMediaType } from '../http/content.ts';
import { firstHeader } from '../http/headers.ts';
import { FormatError } from './format.ts';
import type { PlainEntry } from './plain-entry.ts';
import { headersOf, type Members, statusOf, UNTIMED, withType } from './recorder-fields.ts';

interface Pair {
  readonly request: Members;
  readonly responses: readonly Members[];
  readonly isBase64: boolean;
}

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

export function pairEntries(pairs: readonly Pair[]): PlainEntry[] {
  return pairs.flatMap(({ request, responses, isBase64 }, n) => {
    const method = request['method'];
    const url = pairUrl(request);
    if (typeof method !== 'string' || url === null)
      throw new FormatError(`the request of pair ${n + 1} has no method, or no URL with a host`);
    const requestBody = pairBody(request, false);
    const headers = withType(headersOf(request['headers']), requestBody, 'json');
    return responses.map((response) => {
      const status = statusOf(response['statuscode'] ?? response['status'], response['statustext']);
      if (status === null) throw new FormatError(`the response of pair ${n + 1} has no status`);
      const pairResponse = {
        ...status,
        headers: headersOf(response['headers']),
        body: pairBody(response, isBase64),
      };
      return { method: method.toUpperCase(), url, headers, requestBody, response: pairResponse, ...UNTIMED };
    });
  });
}

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
    request: { method, url, headers: requestheaders, ...flatBody(requestbody, requestheaders) },
    responses: [{ statuscode, headers: responseheaders, ...flatBody(responsebody, responseheaders) }],
    isBase64: false,
  };
}

/** The Azure test proxy writes text of several lines as a list, an empty body as an empty list, and bytes in base64. */
function flatBody(body: unknown, headers: unknown): Members {
  if (Array.isArray(body)) return { body: body.join('') };
  const type = parseMediaType(firstHeader(headersOf(headers), 'content-type'))?.essence ?? '';
  const isText = /^text\/|json$|xml$|urlencoded$/.test(type);
  return { body, isbase64encoded: typeof body === 'string' && !isText && isBase64(body) };
}

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
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

function pairBody(message: Members, isAlwaysBase64: boolean): Buffer {
  const body = message['body'] ?? message['content'];
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body !== 'string') return Buffer.from(JSON.stringify(body));
  const coding = message['encoding'] ?? message['bodyencoding'];
  const isBase64 = isAlwaysBase64 || coding === 'base64' || message['isbase64encoded'] === true;
  return Buffer.from(body, isBase64 ? 'base64' : 'utf8');
}
