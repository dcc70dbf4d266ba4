import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import type { Upstream } from './upstream.ts';

/** Whether the credentials of clients are sent to the upstream, or removed. */
export type CredentialPolicy = 'forwarded' | 'removed';

/** The header fields of a request to the upstream, in two forms. */
export interface UpstreamHeaders {
  /** As they are sent, for the cassette. */
  readonly headers: HeaderPairs;
  /** The same as node takes them: names in their case, repeated fields as a list, without hop-by-hop fields. */
  readonly fields: IncomingHttpHeaders;
}

/** Hop-by-hop fields: each side of the proxy has its own. `Expect` is among them, because it makes node send the head at once. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'expect']);
const CREDENTIALS = new Set(['authorization', 'api-key', 'x-api-key', 'cookie']);

/**
 * Derives the fields of the outgoing request from the incoming ones (name, value, name, value). `given` replace the client's
 * fields of the same names.
 */
export function upstreamHeaders(
  raw: readonly string[],
  upstream: Upstream,
  given: HeaderPairs,
  credentials: CredentialPolicy,
): UpstreamHeaders {
  const headers: (readonly [string, string])[] = [];
  const fields: Record<string, string | string[]> = {};
  const names = new Map<string, string>();
  const add = (name: string, lower: string, value: string) => {
    headers.push([name, value]);
    if (HOP_BY_HOP.has(lower)) return;
    const known = names.get(lower);
    if (known === undefined) {
      names.set(lower, name);
      fields[name] = value;
    } else fields[known] = [fields[known] ?? [], value].flat();
  };
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const lower = name.toLowerCase();
    if (
      given.length > 0 &&
      given.some(([other]) => other.length === lower.length && other.toLowerCase() === lower)
    )
      continue;
    if (credentials === 'removed' && CREDENTIALS.has(lower)) continue;
    add(name, lower, lower === 'host' ? upstream.host : (raw[i + 1] ?? ''));
  }
  for (const [name, value] of given) add(name, name.toLowerCase(), value);
  return { headers, fields };
}

/** The fields of a response without hop-by-hop fields, as a flat list (name, value, name, value). */
export function endToEndHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, raw[i + 1] ?? '');
  }
  return kept;
}

/** A flat list of fields for an HTTP/1.0 client, which does not know the chunked coding. */
export function unchunked(fields: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    if (!/^(?:transfer-encoding|trailer)$/i.test(name)) kept.push(name, fields[i + 1] ?? '');
  }
  return kept;
}
