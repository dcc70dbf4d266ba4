import type { HeaderPairs } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { decodeContent, mediaTypeOf } from '../../exchange/http/content.ts';

/** Paths under which other hosts are reached through the proxy: `/assay-url/https/images.example/a.png?b`. */
const ROOT = '/assay-url/';
const LARGEST = 64 * 1024 * 1024;

/** The target under which the proxy serves a URL; those of the service itself (`own`, its origin) keep their path. */
function localTarget(url: URL, own: string | null): string {
  const path = `${url.pathname}${url.search}`;
  return url.origin === own ? path : `${ROOT}${url.protocol.slice(0, -1)}/${url.host}${path}`;
}

/** The URL that a target of this proxy stands for, or null when it is an ordinary one. */
export function remoteUrl(target: string): URL | null {
  const [, scheme, host, rest = '/'] = /^\/assay-url\/(https?)\/([^/?]+)(.*)$/s.exec(target) ?? [];
  const text = `${scheme}://${host}${rest}`;
  return host !== undefined && URL.canParse(text) ? new URL(text) : null;
}

export interface UrlRewriterOptions {
  /** Scheme, host and port of the proxy, once it listens. */
  readonly here: () => string;
  /** Origin of the service, where it has no path before `/v1`; null otherwise. */
  readonly own: string | null;
  /** Asked for, and told of, each URL of another host. */
  readonly allows: (url: URL) => boolean;
}

/** Turns absolute URLs in JSON answers into the proxy's own, so that what they name is recorded and replayed, too. */
export class UrlRewriter {
  readonly #options: UrlRewriterOptions;

  constructor(options: UrlRewriterOptions) {
    this.#options = options;
  }

  wants({ status, headers }: { readonly status: number; readonly headers: HeaderPairs }): boolean {
    return status !== 204 && status !== 304 && mediaTypeOf(headers)?.essence === 'application/json';
  }

  /** The answer with URLs rewritten; as it is where there are none, or where it cannot be read. */
  rewrite(headers: HeaderPairs, body: Buffer): { headers: HeaderPairs; body: Buffer } {
    const text = decodeContent({ headers, body: Body.of(body) }, LARGEST)?.text ?? null;
    const rewritten = text === null ? null : this.#text(text);
    if (rewritten === null || rewritten === text) return { headers, body };
    const bytes = Buffer.from(rewritten);
    const kept = headers.filter(
      ([name]) => !/^(?:content-encoding|content-length|transfer-encoding|etag|digest)$/i.test(name),
    );
    return { headers: [...kept, ['Content-Length', String(bytes.length)]], body: bytes };
  }

  /** Rewrites strings of a JSON text in their places, so that all else stays as it is written. */
  #text(text: string): string {
    return text.replaceAll(/"https?:(?:[^"\\]|\\.)*"(?!\s*:)/g, (token) => {
      const { here, own, allows } = this.#options;
      const url = urlOf(token);
      if (url === null || (url.origin !== own && !allows(url))) return token;
      return JSON.stringify(`${here()}${localTarget(url, own)}`);
    });
  }
}

function urlOf(token: string): URL | null {
  try {
    const value = JSON.parse(token) as Json; // as: JSON.parse gives exactly Json, the library types it any
    return typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  } catch {
    return null;
  }
}
