import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import type { Upstream } from './upstream.ts';

/** The fields of a request on its way to the upstream. */
export interface UpstreamHeaders {
  /** As they go out, for the record. */
  readonly headers: HeaderPairs;
  /** The same as node takes them: names in their case, repeats as a list, without those of one connection. */
  readonly fields: IncomingHttpHeaders;
}

/** Fields that concern one connection only (each side of the proxy has its own), and `Expect`, which makes node send at once. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'expect']);
const CREDENTIALS = new Set(['authorization', 'api-key', 'x-api-key', 'cookie']);

/**
 * Makes the fields of the outgoing request of those that came in (name, value, name, value). `given` take the place of the
 * client's of the same names; `trust` false leaves out all credentials.
 */
export function upstreamHeaders(
  raw: readonly string[],
  upstream: Upstream,
  given: HeaderPairs,
  trust: boolean,
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
    if (!trust && CREDENTIALS.has(lower)) continue;
    add(name, lower, lower === 'host' ? upstream.host : (raw[i + 1] ?? ''));
  }
  for (const [name, value] of given) add(name, name.toLowerCase(), value);
  return { headers, fields };
}

/** The fields of an answer that go on to the client, flat. */
export function endToEndHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, raw[i + 1] ?? '');
  }
  return kept;
}

/** Fields (flat) for a client of HTTP/1.0, which knows no chunks. */
export function unchunked(fields: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] ?? '';
    if (!/^(?:transfer-encoding|trailer)$/i.test(name)) kept.push(name, fields[i + 1] ?? '');
  }
  return kept;
}
