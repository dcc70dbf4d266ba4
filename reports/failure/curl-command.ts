// The curl command of a failure, so that it can be repeated by hand.
import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { ALIAS_PATTERN } from '../../exchange/redaction/alias.ts';
import { printable } from './excerpt.ts';

/** Header fields that curl or the connection sets. */
const OWN = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'user-agent',
  'expect',
  'keep-alive',
]);

/** Characters of the longest body in a command. */
const BODY_LIMIT = 4000;

/**
 * A curl command that repeats the request. Credentials are aliases in a cassette, so the command reads the key
 * from `keyVariable`. Null if the body was not kept or is not text.
 */
export function curlCommand(exchange: Exchange, baseUrl: string, keyVariable: string): string | null {
  const { request } = exchange;
  const content = body(request);
  if (content === null) return null;
  const url = targetUrl(baseUrl, request.target);
  const method = request.method === 'GET' ? [] : ['-X', request.method];
  return ['curl', '-sS', ...method, shellQuote(url), ...headers(request, keyVariable), ...content].join(' ');
}

/** The URL of a target that begins with `/v1`, which the base URL may contain as well. */
export function targetUrl(baseUrl: string, target: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '') + target;
}

/** Options for the header fields. */
function headers(request: HttpRequest, keyVariable: string): string[] {
  const multipart = formDataParts(request) !== null;
  return request.headers.flatMap(([name, value]) => {
    const key = name.toLowerCase();
    if (OWN.has(key) || (multipart && key === 'content-type')) return [];
    if (key === 'authorization') {
      const scheme = /^\S+(?= )/.exec(value)?.[0] ?? 'Bearer';
      return ['-H', `"authorization: ${printable(scheme).replace(/["$`\\]/g, '')} $${keyVariable}"`];
    }
    if (isMasked(value)) return ['-H', `${shellQuote(`${key}: `)}"$${variableOf(key)}"`];
    return ['-H', shellQuote(`${key}: ${value}`)];
  });
}

/** Whether a cassette holds an alias in place of a header value, or of a part of it. */
function isMasked(value: string): boolean {
  return value.search(ALIAS_PATTERN) !== -1;
}

/** The environment variable from which a command takes a masked header: `X_TENANT` of `x-tenant`. */
function variableOf(header: string): string {
  return header.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** The environment variables of the masked header fields of a request that are to be set before its curl command runs. */
export function maskedHeaderVariables({ request }: Exchange): readonly string[] {
  const masked = request.headers.filter(
    ([name, value]) =>
      !OWN.has(name.toLowerCase()) && name.toLowerCase() !== 'authorization' && isMasked(value),
  );
  return [...new Set(masked.map(([name]) => variableOf(name)))];
}

/** Options for the body; null if it cannot be written into a command. */
function body(request: HttpRequest): string[] | null {
  if (request.body.size === 0) return [];
  const parts = formDataParts(request);
  if (parts !== null) {
    return parts.flatMap((part) => {
      if (part.filename === null)
        return ['--form-string', shellQuote(`${part.name}=${part.body.text ?? ''}`)];
      return [
        '-F',
        shellQuote(`${part.name}=@${part.filename}${part.type === null ? '' : `;type=${part.type}`}`),
      ];
    });
  }
  const text = request.body.text;
  if (text === null || text.length > BODY_LIMIT) return null;
  // curl reads a value that begins with @ from a file, except with --data-raw.
  return ['--data-raw', shellQuote(text)];
}

/** One word for a POSIX shell; control characters are spelled as `$'\u001b'`, so that nothing steers the terminal. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const safe = printable(word);
  if (safe === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${printable(word.replaceAll('\\', '\\\\').replaceAll("'", "\\'"))}'`;
}
