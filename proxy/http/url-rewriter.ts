import type { Exchange, HeaderPairs } from '../../exchange/exchange.ts';
import { Body, MAX_READ_BYTES } from '../../exchange/http/body.ts';
import { bufferOn } from '../../exchange/http/bytes.ts';
import { decodeUpTo, mediaTypeOf } from '../../exchange/http/content.ts';
import { endOfString } from '../../exchange/http/json-text.ts';
import { tryParseJson } from '../../schemas/json.ts';

/** Path prefix of other hosts on the proxy: `/assay-url/https/images.example/a.png?b`. */
const OTHER_HOSTS_PATH = '/assay-url/';
const REMOTE_TARGET = new RegExp(`^${OTHER_HOSTS_PATH}(https?)/([^/?]+)(.*)$`, 's');
const COLON = /\s*:/y;

/** Fields that describe the bytes of a body, so that they do not fit a rewritten one. */
const BODY_FIELDS =
  /^(?:content-encoding|content-length|transfer-encoding|etag|digest|content-digest|repr-digest|content-md5)$/i;

function localTarget(url: URL, serviceOrigin: string | null): string {
  const path = `${url.pathname}${url.search}`;
  if (url.origin === serviceOrigin) return path;
  return `${OTHER_HOSTS_PATH}${url.protocol.slice(0, -1)}/${url.host}${path}`;
}

export function remoteUrl(target: string): URL | null {
  const [, scheme, host, path = '/'] = REMOTE_TARGET.exec(target) ?? [];
  if (host === undefined) return null;
  const text = `${scheme}://${host}${path}`;
  return URL.canParse(text) ? new URL(text) : null;
}

export interface UrlRewriterOptions {
  readonly proxyOrigin: () => string;
  /** Origin of the service if it has no path before `/v1`; null otherwise. */
  readonly serviceOrigin: string | null;
  /** Whether a URL of another origin is rewritten; the recorder's also lets clients fetch from that origin. */
  readonly allows: (url: URL) => boolean;
}

/** Replaces absolute URLs in JSON responses with URLs of the proxy, so that clients request their targets from it. */
export class UrlRewriter {
  readonly #options: UrlRewriterOptions;

  constructor(options: UrlRewriterOptions) {
    this.#options = options;
  }

  applies({ status, headers }: { readonly status: number; readonly headers: HeaderPairs }): boolean {
    return status !== 204 && status !== 304 && mediaTypeOf(headers)?.essence === 'application/json';
  }

  /** Returns the same body if it has no URL to rewrite, cannot be decoded, or exceeds 64 MiB. */
  rewrite(headers: HeaderPairs, body: Buffer): { headers: HeaderPairs; body: Buffer } {
    if (body.length > MAX_READ_BYTES) return { headers, body };
    const text = decodeUpTo({ headers, body: Body.from(body) }, MAX_READ_BYTES)?.text ?? '';
    const rewritten = this.#rewriteText(text);
    if (rewritten === text) return { headers, body };
    const bytes = Buffer.from(rewritten);
    const kept = headers.filter(([name]) => !BODY_FIELDS.test(name));
    return { headers: [...kept, ['Content-Length', String(bytes.length)]], body: bytes };
  }

  /** Returns the exchange with the URLs of its response rewritten, or the same object if nothing changes. */
  rewriteExchange(exchange: Exchange): Exchange {
    const { request, response, end } = exchange;
    const bytes = response?.body.bytes ?? null;
    if (response === null || bytes === null || !this.applies(response)) return exchange;
    // The recorder does not rewrite these. A new length would make a response that was cut short look complete.
    if (end.how !== 'complete' || remoteUrl(request.target) !== null) return exchange;
    const original = bufferOn(bytes);
    const { headers, body } = this.rewrite(response.headers, original);
    if (body === original) return exchange;
    return { ...exchange, response: { ...response, headers, body: Body.from(body), pieces: [] } };
  }

  /** Replaces strings that are URLs in a JSON text without parsing it, so that all else, including keys, is kept. */
  #rewriteText(text: string): string {
    let rewritten = '';
    let copied = 0;
    let end = 0;
    for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', end)) {
      end = endOfString(text, start) + 1;
      if (!text.startsWith('http:', start + 1) && !text.startsWith('https:', start + 1)) continue;
      COLON.lastIndex = end;
      if (COLON.test(text)) continue;
      rewritten += `${text.slice(copied, start)}${this.#rewriteString(text.slice(start, end))}`;
      copied = end;
    }
    return rewritten + text.slice(copied);
  }

  #rewriteString(token: string): string {
    const { proxyOrigin, serviceOrigin, allows } = this.#options;
    const url = urlOf(token);
    if (url === null || (url.origin !== serviceOrigin && !allows(url))) return token;
    return JSON.stringify(`${proxyOrigin()}${localTarget(url, serviceOrigin)}${url.hash}`);
  }
}

/** Null for text that only begins like a URL, such as `https://a.example/b is a page`, which `URL` would accept. */
function urlOf(token: string): URL | null {
  const value = tryParseJson(token);
  if (typeof value !== 'string' || !/^https?:\/\/\S/.test(value) || /\s/.test(value)) return null;
  return URL.canParse(value) ? new URL(value) : null;
}
