import { Body } from '../exchange/body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Recordings } from './match.ts';
import { Rewriter, remoteUrl } from './rewrite.ts';
import { originOf } from './upstream.ts';

/** A rewriter for the hosts that were recorded. `here` is the origin of the replayer. */
export function rewriterOf(recordings: Recordings, here: () => string): Rewriter {
  const origins = new Set<string>();
  for (const cassette of recordings.cassettes) {
    for (let k = 0; k < cassette.size; k += 1) {
      const url = remoteUrl(cassette.request(k).target);
      if (url !== null) origins.add(url.origin);
    }
  }
  const [first] = recordings.cassettes;
  const own = first === undefined ? null : originOf(first.header.target.baseUrl);
  return new Rewriter({ here, own, allows: (url) => origins.has(url.origin) });
}

/** The exchange with its answer rewritten. */
export function rewritten(exchange: Exchange, rewriter: Rewriter): Exchange {
  const { response } = exchange;
  const bytes = response?.body.bytes ?? null;
  if (response === null || bytes === null || !rewriter.wants(response)) return exchange;
  const original = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const { headers, body } = rewriter.rewrite(response.headers, original);
  return body === original
    ? exchange
    : { ...exchange, response: { ...response, headers, body: Body.of(body), pieces: [] } };
}
