import { hash } from 'node:crypto';
import { type Json, sortKeys } from '../../schemas/json.ts';
import type { HttpRequest } from '../exchange.ts';
import { decodedContent } from '../http/content.ts';
import { formDataParts, MAX_FIELD_BYTES } from '../http/form-data.ts';
import { allHeaders, hasHeader } from '../http/headers.ts';
import { ALIAS_PATTERN } from '../redaction/alias.ts';

export const CREDENTIAL_HEADERS = ['authorization', 'api-key', 'x-api-key'];

export const BETA_HEADERS = ['openai-beta', 'vendor-beta'];

/**
 * Names the test that sent a request: each test has its own position in the recordings, so that tests can run
 * concurrently. The header is stored with the request but never forwarded.
 */
export const SCOPE_HEADER = 'x-assay-scope';

export type CanonicalRequest = {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** Sorted by name, then value. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Values of the beta headers, sorted; null if there are none. */
  readonly beta: string | null;
  readonly credentials: boolean;
  readonly body: Json;
};

/**
 * Returns the canonical form: JSON bodies with sorted members, multipart forms as their parts, other bodies as a
 * digest. All API keys are considered equal. `betaHeaders`: beta headers in addition to `BETA_HEADERS`.
 */
export function canonicalRequest(request: HttpRequest, betaHeaders: readonly string[]): CanonicalRequest {
  const [path = '', query = ''] = request.target.split(/\?(.*)/s);
  return {
    method: request.method.toUpperCase(),
    path,
    query: [...new URLSearchParams(query)].toSorted(byNameAndValue),
    beta: betaValues(request, betaHeaders),
    credentials: hasCredentials(request),
    body: canonicalBody(request),
  };
}

export function hasCredentials({ headers }: HttpRequest): boolean {
  return CREDENTIAL_HEADERS.some((name) => hasHeader(headers, name));
}

/** Hashes the canonical form into sixteen hex digits. Aliases that begin with `redacted_` are considered equal. */
export function matchKey(form: CanonicalRequest): string {
  return hash('sha256', equateAliases(JSON.stringify(form))).slice(0, 16);
}

/** Replaces all aliases that begin with `redacted_` with the same word: their numbers depend on the recording. */
export function equateAliases(text: string): string {
  return text.includes('redacted_') ? text.replaceAll(ALIAS_PATTERN, 'redacted') : text;
}

function betaValues(request: HttpRequest, betaHeaders: readonly string[]): string | null {
  const names = [...BETA_HEADERS, ...betaHeaders];
  if (!names.some((name) => hasHeader(request.headers, name))) return null;
  const values = names
    .flatMap((name) => allHeaders(request.headers, name))
    .flatMap((value) => value.split(','));
  return [...new Set(values.map((value) => value.trim()))].toSorted().join(', ');
}

function canonicalBody(request: HttpRequest): Json {
  if (request.body.size === 0) return null;
  const parts = formDataParts(request);
  if (parts !== null) {
    const facts = parts.map(({ name, filename, type, body }) => {
      return filename === null && body.size <= MAX_FIELD_BYTES && body.text !== null
        ? { name, value: body.text }
        : { name, filename, type, size: body.size, sha256: body.sha256 };
    });
    return { parts: facts.toSorted((a, b) => compareText(a.name ?? '', b.name ?? '')) };
  }
  const content = decodedContent(request);
  if (content?.json != null) return { json: sortKeys(content.json.value) };
  return { sha256: request.body.sha256, size: request.body.size };
}

function byNameAndValue(a: readonly [string, string], b: readonly [string, string]): number {
  return compareText(a[0], b[0]) || compareText(a[1], b[1]);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
