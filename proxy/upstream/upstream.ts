/** The service behind the proxy. */
export interface Upstream {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
  /** Value of the `Host` header. */
  readonly host: string;
  /** Path before `/v1`; empty for most. */
  readonly prefix: string;
}

/** Reads a base URL, with or without `/v1`. Throws TypeError when it is not a URL of HTTP or HTTPS. */
export function parseUpstream(baseUrl: string): Upstream {
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
  return parseUpstream(baseUrl).prefix === '' ? new URL(baseUrl).origin : null;
}
