import { PNG } from 'pngjs';
import type { Exchange } from '../../exchange/exchange.ts';
import { operationOf } from '../../judge/call.ts';
import { answering, withBody, withHeader } from '../../judge/edit/exchanges.ts';
import type { Break } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { downloads } from './downloads.ts';
import { sizeOf } from './drawn.ts';

const SPEC = '2 Images';

export const found = requirement({
  id: 'images.url.leads-somewhere',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'The URL of an image is valid when it is given.',
  on: only(downloads(), ({ outcome }) => outcome !== 'refused' && outcome !== 'unanswered'),
  check: ({ outcome, status, url }) => {
    if (outcome === 'accepted') return [];
    const found = { at: 'status', expected: `2xx for ${url}`, actual: status };
    if (outcome === 'capacity') return [{ ...found, inconclusive: 'capacity' }];
    return outcome === 'failed' ? [{ ...found, inconclusive: 'target-error' }] : [found];
  },
  breaks: {
    'not found': inDownloads((exchange) => answering(exchange, 404, {})),
    gone: inDownloads((exchange) => answering(exchange, 410, {})),
  },
});

export const isImage = requirement({
  id: 'images.url.is-an-image',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'At the URL of an image there is an image.',
  on: only(downloads(), (download) => download.picture() !== null),
  check: (download) => {
    const damage = download.picture()?.damage ?? null;
    return damage === null ? [] : [{ at: 'body', expected: 'an image', actual: damage }];
  },
  breaks: {
    'a page': inDownloads((exchange) =>
      withHeader(withBody(exchange, '<html></html>'), 'content-type', 'text/html'),
    ),
    nothing: inDownloads((exchange) => withBody(exchange, '')),
    'half an image': inDownloads((exchange) =>
      withBody(exchange, exchange.response?.body.bytes?.subarray(0, 400) ?? ''),
    ),
  },
});

export const size = requirement({
  id: 'images.url.size-as-asked',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'The image at a URL has the size that is asked for, 1024x1024 unless one is given.',
  on: only(
    downloads(),
    ({ asked, picture }) => sizeOf(asked) !== null && (picture()?.format ?? null) !== null,
  ),
  check: ({ asked, picture }) => {
    const { width = 0, height = 0 } = picture() ?? {};
    const actual = `${width}x${height}`;
    return actual === sizeOf(asked) ? [] : [{ at: 'body', expected: `${sizeOf(asked)} pixels`, actual }];
  },
  breaks: {
    'a smaller one': inDownloads((exchange) =>
      withBody(exchange, PNG.sync.write(new PNG({ width: 8, height: 8 }))),
    ),
    'turned, and larger': inDownloads((exchange) =>
      withBody(exchange, PNG.sync.write(new PNG({ width: 96, height: 1100 }))),
    ),
  },
});

/** In everything that was got from an address. */
function inDownloads(edit: (exchange: Exchange) => Exchange): Break {
  return (trace) => {
    const isDownload = (one: Exchange): boolean =>
      one.request.method === 'GET' && operationOf(one.request) === null && one.response !== null;
    return trace.some(isDownload) ? trace.map((one) => (isDownload(one) ? edit(one) : one)) : null;
  };
}
