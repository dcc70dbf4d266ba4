import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../exchange/http/loopback.ts';

export interface GuardOptions {
  /** Host names under which clients may reach the proxy, on any port. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

export interface GuardRejection {
  readonly code: 'foreign_host' | 'foreign_origin';
  readonly message: string;
}

/**
 * Protects a proxy that adds its user's credentials. Any web page can make a browser on this machine send requests to
 * loopback, under a foreign host name (DNS rebinding) or from a foreign origin. Both are rejected unless allowed.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({ hosts, origins }: GuardOptions) {
    this.#hosts = new Set(hosts.map((host) => hostnameOf(`http://${host}`) ?? host));
    this.#origins = new Set(origins.map(originOrText));
  }

  findRejection({ headers }: IncomingMessage): GuardRejection | null {
    const { host, origin, referer } = headers;
    // Browsers always send Host; a client without it is not a browser.
    if (host !== undefined && !this.#allowsHost(host)) return hostRejection(host);
    if (origin !== undefined) return this.#allowsOrigin(origin) ? null : originRejection(origin);
    // Images and links of other sites are requested without Origin.
    if (headers['sec-fetch-site'] !== 'cross-site') return null;
    const from = referer === undefined ? 'a page without a Referer' : originOrText(referer);
    return this.#allowsOrigin(from) ? null : originRejection(from);
  }

  /** Checks the name and not the address, because DNS rebinding gives a foreign name the address 127.0.0.1. */
  #allowsHost(host: string): boolean {
    const name = hostnameOf(`http://${host}`);
    return name !== null && (isLoopback(name) || this.#hosts.has(name));
  }

  #allowsOrigin(origin: string): boolean {
    const name = hostnameOf(origin);
    return name !== null && (isLoopback(name) || this.#origins.has(originOrText(origin)));
  }
}

function hostRejection(host: string): GuardRejection {
  const name = hostnameOf(`http://${host}`) ?? host;
  return {
    code: 'foreign_host',
    message: `This proxy adds its user's credentials, so it accepts requests only for loopback names and those of --allow-host, not for ${toPrintable(name)}. To allow that name, start it with --allow-host ${toPrintable(name)}.`,
  };
}

function originRejection(origin: string): GuardRejection {
  return {
    code: 'foreign_origin',
    message: `This proxy adds its user's credentials, so it rejects requests of web pages from other sites: this request comes from ${toPrintable(origin)}. To allow a site, start it with --allow-origin and its origin, such as https://app.example.`,
  };
}

function hostnameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : null;
}

function originOrText(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, protocol, host } = new URL(url);
  // `URL` gives all browser extensions the same origin, `null`.
  return origin === 'null' ? `${protocol}//${host}` : origin;
}

function toPrintable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
