import { createHash } from 'node:crypto';
import type { HttpRequest } from '../../exchange/exchange.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { Call } from '../trace/call.ts';
import { callerOf } from '../trace/caller-identity.ts';

/** A text that equal requests of a caller share, even if the boundary of a form differs. */
export function fingerprintOf({ exchange: { request }, variant }: Call): string {
  const body = request.body.size === 0 ? '' : (digestOfForm(request) ?? request.body.sha256);
  return `${request.method} ${request.target} ${body} ${variant?.beta ?? ''} ${callerOf(request)}`;
}

/** Null for bodies other than forms. */
function digestOfForm(request: HttpRequest): string | null {
  const parts = formDataParts(request);
  return parts && digestOf(JSON.stringify(parts.map(({ headers, body }) => [headers, body.sha256])));
}

/**
 * Replaces a text, which may be long or confidential, with a digest: `sha256-` and 20 hex digits. Leaves digests as
 * they are.
 */
export function digestOf(text: string): string {
  return /^sha256-[0-9a-f]{20}$/.test(text)
    ? text
    : `sha256-${createHash('sha256').update(text).digest('hex').slice(0, 20)}`;
}
