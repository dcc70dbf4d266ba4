import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { hasHeader } from '../../exchange/http/headers.ts';
import { printable } from '../../exchange/printable.ts';
import { ALIAS_PATTERN } from '../../exchange/redaction/alias.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';

/** Header fields that curl or the connection sets. */
const UNREPEATED_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'user-agent',
  'expect',
  'keep-alive',
]);

/** Longest body that is written into the command, in characters, or in bytes for a form; a longer one is piped in. */
const MAX_INLINE_BODY = 1000;

interface CurlContext {
  readonly baseUrl: string;
  readonly keyVariable: string;
  readonly secondKeyVariable?: string;
  readonly bodyCommand: string | null;
}

/**
 * A curl command that repeats the request. Cassettes hold aliases of credentials, so the key comes from a variable, and
 * the trial of a wrong key sends another wrong one. A body that cannot be written into the command is piped in as it
 * was recorded; null if no recording holds it.
 */
export function curlCommand(exchange: Exchange, context: CurlContext): string | null {
  const { request, probe } = exchange;
  const { baseUrl, bodyCommand, keyVariable, secondKeyVariable = keyVariable } = context;
  const variable = probe?.keyword === 'second' ? secondKeyVariable : keyVariable;
  const key = probe?.keyword === 'wrong' ? 'a-wrong-key' : `$${variable}`;
  const bodyOptions = bodyArguments(request);
  const isPiped = bodyOptions === null;
  if (isPiped && (bodyCommand === null || request.body.bytes === null)) return null;
  // Without -g, curl reads brackets and braces in a URL as a pattern.
  const flags = /[[\]{}]/.test(request.target) ? '-gsS' : '-sS';
  // Without -X, curl sends a request with a body as POST.
  const isDefaultMethod = request.method === 'GET' && request.body.size === 0;
  const method = isDefaultMethod ? [] : ['-X', request.method];
  const isForm = bodyOptions?.[0] === '--form-string';
  // curl sets the boundary of a form itself.
  const fields = headerArguments(request, key, (name) => isForm && name === 'content-type');
  // Without a type, curl labels a body as a form.
  const isUntyped = request.body.size > 0 && !hasHeader(request.headers, 'content-type');
  const type = isUntyped ? ['-H', 'content-type:'] : [];
  const body = bodyOptions ?? ['--data-binary', '@-'];
  const options = [...method, shellQuote(targetUrl(baseUrl, request.target)), ...fields, ...type, ...body];
  return [...(isPiped ? [bodyCommand, '|'] : []), 'curl', flags, ...options].join(' ');
}

/** Joins a target that begins with `/v1` to a base URL that may end in `/v1`. */
export function targetUrl(baseUrl: string, target: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '') + target;
}

function headerArguments(request: HttpRequest, key: string, isOmitted: (name: string) => boolean): string[] {
  return request.headers.flatMap(([name, value]) => {
    const field = name.toLowerCase();
    if (UNREPEATED_HEADERS.has(field) || isOmitted(field)) return [];
    if (field === 'authorization') {
      const scheme = /^\S+(?= )/.exec(value)?.[0] ?? 'Bearer';
      return ['-H', `"authorization: ${printable(scheme).replace(/["$`\\]/g, '')} ${key}"`];
    }
    // curl drops a field that ends with a colon.
    if (value === '') return ['-H', shellQuote(`${field};`)];
    if (isMasked(value)) return ['-H', `${shellQuote(`${field}: `)}"$${variableOf(field)}"`];
    return ['-H', shellQuote(`${field}: ${value}`)];
  });
}

function isMasked(value: string): boolean {
  return value.search(ALIAS_PATTERN) !== -1;
}

function variableOf(header: string): string {
  return header.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

export function maskedHeaderVariables({ request }: Exchange): readonly string[] {
  const names = request.headers.flatMap(([name, value]) => (isMasked(value) ? name.toLowerCase() : []));
  const masked = names.filter((name) => !UNREPEATED_HEADERS.has(name) && name !== 'authorization');
  return [...new Set(masked.map(variableOf))];
}

/** Null for a body that cannot be written into a command. */
function bodyArguments(request: HttpRequest): string[] | null {
  if (request.body.size === 0) return [];
  const parts = formDataParts(request);
  if (parts !== null) {
    const isPlain = parts.every(
      // curl ends the name at the first `=`.
      ({ name, filename, type, body }) =>
        name?.includes('=') === false && filename === null && type === null && body.text !== null,
    );
    if (!isPlain || parts.length === 0 || request.body.size > MAX_INLINE_BODY) return null;
    return parts.flatMap(({ name, body }) => ['--form-string', shellQuote(`${name}=${body.text ?? ''}`)]);
  }
  const text = request.body.text;
  if (text === null || text.length > MAX_INLINE_BODY) return null;
  // Unlike --data, --data-raw does not read a value that begins with @ from a file.
  return ['--data-raw', shellQuote(text)];
}
