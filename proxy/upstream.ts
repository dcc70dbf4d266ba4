import type { HeaderPairs } from '../exchange/exchange.ts';

/** The service behind the proxy. */
export interface Upstream {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
  /** As the `Host` header names it. */
  readonly host: string;
  /** Path before `/v1`; empty for most. */
  readonly prefix: string;
}

/** Reads a base URL, with or without `/v1`. Throws TypeError when it is none. */
export function upstreamOf(baseUrl: string): Upstream {
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`${baseUrl} is not a URL of HTTP. Write it as http://host/v1 or https://host/v1.`);
  }
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    host: url.host,
    prefix: url.pathname.replace(/\/+$/, '').replace(/\/v1$/, ''),
  };
}

/** The origin of a service that has no path before `/v1`; null for others. */
export function originOf(baseUrl: string): string | null {
  return upstreamOf(baseUrl).prefix === '' ? new URL(baseUrl).origin : null;
}

/** Fields that concern one connection only; each side of the proxy has its own. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection']);

export function endToEnd(headers: HeaderPairs): HeaderPairs {
  return headers.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()));
}

/** The fields that go to the upstream: the client's, with its own host, and the credentials put in on the way. */
export function upstreamHeaders(headers: HeaderPairs, upstream: Upstream, auth: string | null): HeaderPairs {
  const kept = headers.filter(([name]) => auth === null || name.toLowerCase() !== 'authorization');
  const sent = kept.map(
    ([name, value]) => [name, name.toLowerCase() === 'host' ? upstream.host : value] as const,
  );
  return auth === null ? sent : [...sent, ['Authorization', auth]];
}
