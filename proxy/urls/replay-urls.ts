import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import type { Recordings } from '../replay/match.ts';
import { originOf } from '../upstream/upstream.ts';
import { remoteUrl, UrlRewriter } from './url-rewriter.ts';

/** A rewriter for URLs of recorded hosts. `here` returns the origin of the replayer, once it listens. */
export function rewriterFor(recordings: Recordings, here: () => string): UrlRewriter {
  const origins = new Set<string>();
  for (const cassette of recordings.cassettes) {
    for (let k = 0; k < cassette.size; k += 1) {
      const url = remoteUrl(cassette.request(k).target);
      if (url !== null) origins.add(url.origin);
    }
  }
  const [first] = recordings.cassettes;
  const own = first === undefined ? null : originOf(first.header.target.baseUrl);
  return new UrlRewriter({ here, own, allows: (url) => origins.has(url.origin) });
}

/** The exchange with the URLs in its response rewritten; the exchange itself where nothing changes. */
export function rewriteUrls(exchange: Exchange, rewriter: UrlRewriter): Exchange {
  const { response } = exchange;
  const bytes = response?.body.bytes ?? null;
  if (response === null || bytes === null || !rewriter.wants(response)) return exchange;
  const original = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const { headers, body } = rewriter.rewrite(response.headers, original);
  return body === original
    ? exchange
    : { ...exchange, response: { ...response, headers, body: Body.of(body), pieces: [] } };
}
