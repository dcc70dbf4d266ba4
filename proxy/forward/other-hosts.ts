import { getOrMake } from '../../schemas/maps.ts';
import { parseUpstream } from '../http/upstream.ts';
import { Forwarder } from './forwarder.ts';

/** Hosts that appear in URLs in the service's responses. Clients fetch images and files from them through the proxy. */
export class OtherHosts {
  readonly #timeout: number;
  readonly #origins = new Set<string>();
  readonly #forwarders = new Map<string, Forwarder>();

  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  allow(url: URL): void {
    this.#origins.add(url.origin);
  }

  forwarderTo(url: URL): Forwarder | null {
    if (!this.#origins.has(url.origin)) return null;
    const options = {
      upstream: parseUpstream(url.origin),
      headers: [],
      credentials: 'removed',
      timeout: this.#timeout,
      rewriter: null,
    } as const;
    return getOrMake(this.#forwarders, url.origin, () => new Forwarder(options));
  }

  close(): void {
    for (const forwarder of this.#forwarders.values()) forwarder.close();
  }
}
