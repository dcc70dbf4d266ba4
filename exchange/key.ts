import { hash } from 'node:crypto';
import type { Json } from './body.ts';
import { decoded } from './content.ts';
import type { HttpRequest } from './exchange.ts';
import { form } from './form.ts';
import { all, has } from './headers.ts';
import { FIELD_LIMIT } from './parts.ts';
import { ALIAS } from './redaction/alias.ts';

/** A request as matching sees it: what a client may write in several ways is written in one. */
export type Canonical = {
  readonly method: string;
  readonly path: string;
  /** Sorted by name, then value. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly beta: string | null;
  readonly credentials: boolean;
  readonly body: Json;
};

/**
 * The canonical form of a request (JSON bodies with sorted keys, forms by their parts, others by digest). Secrets count
 * by role only: any key is like any other. `betaHeaders`: names, beside the two well-known ones, of the beta header.
 */
export function canonical(request: HttpRequest, betaHeaders: readonly string[]): Canonical {
  const [path = '', query = ''] = request.target.split(/\?(.*)/s);
  return {
    method: request.method.toUpperCase(),
    path,
    query: query === '' ? NONE : [...new URLSearchParams(query)].toSorted(byNameAndValue),
    beta: beta(request, betaHeaders),
    credentials: hasCredentials(request),
    body: body(request),
  };
}

/** Whether a request carries a key of any kind. */
export function hasCredentials({ headers }: HttpRequest): boolean {
  return CREDENTIALS.some((name) => has(headers, name));
}

export const CREDENTIALS = ['authorization', 'api-key', 'x-api-key'];

/** Separates tests that run side by side: equal requests of different lanes are different. */
export const LANE_HEADER = 'x-assay-lane';

/** The canonical form, and the lane it came in, in sixteen hex digits. */
export function matchKey(form: Canonical, lane: string | null = null): string {
  const text = JSON.stringify(lane === null ? form : { lane, ...form });
  const equal = text.includes('redacted_') ? text.replaceAll(ALIAS, 'redacted') : text;
  return hash('sha256', equal).slice(0, 16);
}

function beta(request: HttpRequest, betaHeaders: readonly string[]): string | null {
  const names = [...WELL_KNOWN_BETA, ...betaHeaders];
  if (!names.some((name) => has(request.headers, name))) return null;
  const values = names.flatMap((name) => all(request.headers, name)).flatMap((value) => value.split(','));
  return [...new Set(values.map((value) => value.trim()))].toSorted().join(', ');
}

const NONE: Canonical['query'] = [];
export const WELL_KNOWN_BETA = ['openai-beta', 'vendor-beta'];

function body(request: HttpRequest): Json {
  if (request.body.size === 0) return null;
  const parts = form(request);
  if (parts !== null) {
    const plain = parts.map((part) => {
      const { name, filename, body } = part;
      return filename === null && body.size <= FIELD_LIMIT && body.text !== null
        ? { name, value: body.text }
        : { name, filename, type: part.type, size: body.size, sha256: body.sha256 };
    });
    return { parts: plain.toSorted((a, b) => order(a.name ?? '', b.name ?? '')) };
  }
  const content = decoded(request);
  if (content?.json != null) return { json: sorted(content.json.value) };
  return { sha256: request.body.sha256, size: request.body.size };
}

/** The same value with the members of its objects in the order of their names. */
export function sorted(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => order(a, b))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function byNameAndValue(a: readonly [string, string], b: readonly [string, string]): number {
  return order(a[0], b[0]) || order(a[1], b[1]);
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
