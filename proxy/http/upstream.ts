export interface Upstream {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
  readonly host: string;
  /** Path before `/v1`; usually empty. */
  readonly prefix: string;
}

/** Maximum size in bytes of a response head; node's default is 16 KiB. */
export const MAX_RESPONSE_HEAD_BYTES = 16 * 1024 * 1024;

export function parseUpstream(baseUrl: string): Upstream {
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`${baseUrl} is not an HTTP URL. Write it as http://host/v1 or https://host/v1.`);
  }
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    host: url.host,
    prefix: url.pathname.replace(/\/+$/, '').replace(/\/v1$/, ''),
  };
}

/** Null if the service has a prefix, because other paths of its origin are then not the API. */
export function originOf(baseUrl: string): string | null {
  return parseUpstream(baseUrl).prefix === '' ? new URL(baseUrl).origin : null;
}
