import type { Exchange } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';

/** Exchanges further apart than this, in milliseconds, belong to different recordings: much may have changed. */
const MAX_SESSION_MS = 7 * 24 * 60 * 60 * 1000;

/** When the service sent a response, by its `Date`; null if unknown, and for a run of assay, which is one session. */
export function responseDate({ scenario, response }: Exchange): number | null {
  const date = scenario === null && response !== null ? firstHeader(response.headers, 'date') : null;
  const at = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(at) ? null : at;
}

export function areSessionsApart(one: number | null, other: number | null): boolean {
  return one !== null && other !== null && Math.abs(one - other) > MAX_SESSION_MS;
}
