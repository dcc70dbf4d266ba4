import { firstHeader } from '../../../exchange/http/headers.ts';
import type { Call } from '../../trace/call.ts';

/** Whom a request is sent for: its key and, where it names them, its organization and its project. */
export function callerOf({ exchange: { request } }: Call): string {
  const key = firstHeader(request.headers, 'authorization') ?? 'none';
  const account = request.headers.filter(([name]) => /-(organization|project)$/i.test(name));
  return [key, ...account.map(([name, value]) => `${name.toLowerCase()} ${value}`).toSorted()].join(' ');
}
