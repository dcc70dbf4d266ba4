import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { firstHeader, type HeaderPairs } from '../../exchange/http/headers.ts';
import { getOrMake } from '../../schemas/maps.ts';

const callers = new WeakMap<HeaderPairs, string>();
/** Header fields that carry the key; gateways use their own. */
const KEY_HEADERS = ['authorization', 'api-key', 'x-api-key'];
const NO_KEY = 'none';
/** Header fields that name the organization or project of a key: `OpenAI-Project`. */
const ACCOUNT_HEADER = /-(organization|project)$/i;

/** Hosts on this machine or network. Their services may have no keys, and then show the same objects to everyone. */
const LOCAL_HOST =
  /^(?:[^.[]+$|\[(?:::1\]|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)|(?:0|10|127)(?:\.\d+){3}(?::|$)|(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d+){2}(?::|$)|.*\.(?:local|localhost|internal|lan|test)(?::|$))/i;

export function callerOf({ headers }: Pick<HttpRequest, 'headers'>): string {
  return getOrMake(callers, headers, () => readCaller(headers));
}

function readCaller(headers: HeaderPairs): string {
  const key = KEY_HEADERS.map((name) => firstHeader(headers, name)).find((value) => value !== null) ?? NO_KEY;
  const account = headers.filter(([name]) => ACCOUNT_HEADER.test(name));
  if (account.length === 0) return key;
  return [key, ...account.map(([name, value]) => `${name.toLowerCase()} ${value}`).toSorted()].join(' ');
}

/** Whether nothing identifies the sender of a request to a remote host: without keys, several senders look like one. */
export function isOfUnknownCaller({ scenario, request }: Exchange): boolean {
  if (scenario !== null || callerOf(request) !== NO_KEY) return false;
  const host = firstHeader(request.headers, 'host');
  return host !== null && !LOCAL_HOST.test(host);
}
