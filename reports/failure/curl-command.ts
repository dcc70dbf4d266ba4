// The curl command of a failure, so that it can be repeated by hand.
import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { ALIAS_PATTERN } from '../../exchange/redaction/alias.ts';
import { printable } from '../../schemas/excerpt.ts';

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

/** Characters of the longest body in a command; a longer one is piped into it. */
const BODY_LIMIT = 1000;

/** Where the request of a command goes, and what it needs from its surroundings. */
export interface CurlSurroundings {
  readonly baseUrl: string;
  /** Environment variable with the key. */
  readonly keyVariable: string;
  /** Command that prints the recorded body, for one that does not fit into a command; null for none. */
  readonly bodyCommand: string | null;
}

/**
 * A curl command that repeats the request. Credentials are aliases in a cassette, so the command reads the key
 * from `keyVariable`. A body that is long, not text, or contains files is piped into it as it was recorded. Null if the body was not
 * kept, or nothing can print it.
 */
export function curlCommand(exchange: Exchange, surroundings: CurlSurroundings): string | null {
  const { request } = exchange;
  const { baseUrl, keyVariable, bodyCommand } = surroundings;
  const content = body(request);
  const isPiped = content === null;
  if (isPiped && (bodyCommand === null || request.body.bytes === null)) return null;
  const url = targetUrl(baseUrl, request.target);
  const method = request.method === 'GET' ? [] : ['-X', request.method];
  const isForm = !isPiped && formDataParts(request) !== null;
  // curl writes the boundary of a form itself.
  const fields = headers(request, keyVariable, (name) => isForm && name === 'content-type');
  const options = [...method, shellQuote(url), ...fields, ...(content ?? ['--data-binary', '@-'])];
  return [...(isPiped ? [bodyCommand, '|'] : []), 'curl', '-sS', ...options].join(' ');
}

/** The URL of a target that begins with `/v1`, which the base URL may contain as well. */
export function targetUrl(baseUrl: string, target: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '') + target;
}

/** Options for the header fields. `isSet`: those that curl sets. */
function headers(request: HttpRequest, keyVariable: string, isSet: (name: string) => boolean): string[] {
  return request.headers.flatMap(([name, value]) => {
    const key = name.toLowerCase();
    if (OWN.has(key) || isSet(key)) return [];
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

/** Options for the body; null if it cannot be written into a command, as a file, which lies only in the cassette. */
function body(request: HttpRequest): string[] | null {
  if (request.body.size === 0) return [];
  const parts = formDataParts(request);
  if (parts !== null) {
    const isPlain = parts.every(
      ({ filename, type, body }) => filename === null && type === null && body.text !== null,
    );
    if (!isPlain || request.body.size > BODY_LIMIT) return null;
    return parts.flatMap(({ name, body }) => ['--form-string', shellQuote(`${name}=${body.text ?? ''}`)]);
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
