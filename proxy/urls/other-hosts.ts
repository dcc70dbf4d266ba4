import { Forwarder } from '../forward/forward.ts';
import { parseUpstream } from '../upstream/upstream.ts';

/** Hosts other than the service that its responses named: images and files are fetched from them through the proxy. */
export class OtherHosts {
  readonly #timeout: number;
  readonly #named = new Set<string>();
  readonly #forwarders = new Map<string, Forwarder>();

  /** `timeout` in milliseconds, as for the service. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** A response named this URL: its host may be requested from now on. Always true, as `UrlRewriterOptions.allows` wants. */
  allow(url: URL): boolean {
    this.#named.add(url.origin);
    return true;
  }

  /** The forwarder to the host of a URL, which removes credentials; null where no response named that host. */
  forwarder(url: URL): Forwarder | null {
    if (!this.#named.has(url.origin)) return null;
    const known = this.#forwarders.get(url.origin);
    if (known !== undefined) return known;
    const made = new Forwarder({
      upstream: parseUpstream(url.origin),
      headers: [],
      credentials: 'removed',
      timeout: this.#timeout,
      rewriter: null,
    });
    this.#forwarders.set(url.origin, made);
    return made;
  }

  /** Closes all connections. */
  close(): void {
    for (const forwarder of this.#forwarders.values()) forwarder.close();
  }
}
