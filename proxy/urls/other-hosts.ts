import { Forwarder } from '../forward/forward.ts';
import { parseUpstream } from '../upstream/upstream.ts';

/** Hosts beside the service that answers named: images and files are fetched from them, through the proxy. */
export class OtherHosts {
  readonly #timeout: number;
  readonly #named = new Set<string>();
  readonly #forwarders = new Map<string, Forwarder>();

  /** `timeout` in milliseconds, as for the service. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** An answer named this URL: what is there may be fetched. */
  allow(url: URL): boolean {
    this.#named.add(url.origin);
    return true;
  }

  /** What forwards to the host of a URL, without any key; null where no answer named that host. */
  forwarder(url: URL): Forwarder | null {
    if (!this.#named.has(url.origin)) return null;
    const known = this.#forwarders.get(url.origin);
    if (known !== undefined) return known;
    const made = new Forwarder({
      upstream: parseUpstream(url.origin),
      headers: [],
      trust: false,
      timeout: this.#timeout,
      rewriter: null,
    });
    this.#forwarders.set(url.origin, made);
    return made;
  }

  close(): void {
    for (const forwarder of this.#forwarders.values()) forwarder.close();
  }
}
