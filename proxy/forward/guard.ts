import type { IncomingMessage } from 'node:http';

export interface GuardOptions {
  /** Names beside those of loopback under which clients may reach the proxy, without a port. */
  readonly hosts: readonly string[];
  /** Origins of web pages, beside those of loopback, that may use it: `https://app.example`. */
  readonly origins: readonly string[];
}

/** Why a request is refused. */
export interface Stranger {
  readonly code: 'foreign_host' | 'foreign_origin';
  readonly message: string;
}

/**
 * Stands before a proxy that adds credentials of its user: any web page can make a browser on this machine send requests to
 * loopback, under a name of its own (DNS rebinding) or from its own origin. Neither is answered, unless it is allowed.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ hosts, origins }: GuardOptions) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(origins.map(originOf));
  }

  /** Null for a request that may pass. */
  refusal({ headers }: IncomingMessage): Stranger | null {
    const { host, origin, referer } = headers;
    // Browsers name a host always.
    if (host !== undefined && !this.#allowsHost(host)) return foreignHost(host);
    if (origin !== undefined) return this.#allowsOrigin(origin) ? null : foreignOrigin(origin);
    // An image or a link of another site comes without its origin.
    if (headers['sec-fetch-site'] !== 'cross-site') return null;
    const from = referer === undefined ? 'a page that does not name itself' : originOf(referer);
    return this.#allowsOrigin(from) ? null : foreignOrigin(from);
  }

  #allowsHost(host: string): boolean {
    const name = hostname(`http://${host}`);
    return name !== null && (isLoopback(name) || this.#hosts.has(name));
  }

  #allowsOrigin(origin: string): boolean {
    const name = hostname(origin);
    return name !== null && (isLoopback(name) || this.#origins.has(originOf(origin)));
  }
}

function foreignHost(host: string): Stranger {
  const name = hostname(`http://${host}`) ?? host;
  return {
    code: 'foreign_host',
    message: `This proxy adds the key of its user, and answers under the names of loopback only, not as ${printable(name)}. To allow that name, start it with --allow-host ${printable(name)}.`,
  };
}

function foreignOrigin(origin: string): Stranger {
  return {
    code: 'foreign_origin',
    message: `This proxy adds the key of its user, and does not answer web pages of other sites: this request comes from ${printable(origin)}. To allow a site, start it with --allow-origin and its origin, such as https://app.example.`,
  };
}

/** The name in a URL, in lower case, an IPv6 address in brackets; null where it cannot be read. */
function hostname(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : null;
}

/** The origin of a URL, as browsers write it; the text itself where it is none (`null`). */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function isLoopback(name: string): boolean {
  return (
    name === 'localhost' || name === '[::1]' || name.endsWith('.localhost') || /^127(?:\.\d+){3}$/.test(name)
  );
}

function printable(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 200);
}
