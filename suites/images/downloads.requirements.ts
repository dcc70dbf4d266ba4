import { PNG } from 'pngjs';
import { operationOf } from '../../judge/trace/call.ts';
import { withBody, withHeader, withJsonResponse } from '../vocabulary/exchanges.ts';
import { where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Mutation } from '../vocabulary/types.ts';
import { imageDownloads } from './downloads.ts';
import { requestedSizeText } from './image-responses.ts';

const { stated, implied } = section('2 Images');

export const imagesUrlLeadsSomewhere = implied('images.url.leads-somewhere', {
  says: 'The URL of an image is valid when the response arrives.',
  selector: where(
    imageDownloads,
    ({ responseClass: outcome }) => outcome !== 'refused' && outcome !== 'unanswered',
  ),
  check: ({ responseClass: outcome, status, url }) => {
    if (outcome === 'accepted') return [];
    const found = violation('status', `2xx for ${url}`, status);
    if (outcome === 'capacity') return [{ ...found, inconclusive: 'capacity' }];
    return outcome === 'failed' ? [{ ...found, inconclusive: 'target-error' }] : [found];
  },
  mutations: {
    'not found': inDownloads((exchange) => withJsonResponse(exchange, 404, {})),
    gone: inDownloads((exchange) => withJsonResponse(exchange, 410, {})),
  },
});

export const imagesUrlIsAnImage = implied('images.url.is-an-image', {
  says: 'The URL of an image leads to an image.',
  selector: where(imageDownloads, (download) => download.picture() !== null),
  check: (download) => {
    const damage = download.picture()?.damage ?? null;
    return damage === null ? [] : [violation('body', 'an image', damage)];
  },
  mutations: {
    'a page': inDownloads((exchange) =>
      withHeader(withBody(exchange, '<html></html>'), 'content-type', 'text/html'),
    ),
    nothing: inDownloads((exchange) => withBody(exchange, '')),
    'half an image': inDownloads((exchange) =>
      withBody(exchange, exchange.response?.body.bytes?.subarray(0, 400) ?? ''),
    ),
  },
});

export const imagesUrlSizeAsAsked = stated('images.url.size-as-asked', {
  says: 'The image at a URL has the requested size: 1024x1024 unless one is given.',
  selector: where(
    imageDownloads,
    ({ asked, picture }) => requestedSizeText(asked) !== null && (picture()?.format ?? null) !== null,
  ),
  check: ({ asked, picture }) => {
    const { width = 0, height = 0 } = picture() ?? {};
    const actual = `${width}x${height}`;
    return actual === requestedSizeText(asked)
      ? []
      : [violation('body', `${requestedSizeText(asked)} pixels`, actual)];
  },
  mutations: {
    'a smaller one': inDownloads((exchange) =>
      withBody(exchange, PNG.sync.write(new PNG({ width: 8, height: 8 }))),
    ),
    'turned, and larger': inDownloads((exchange) =>
      withBody(exchange, PNG.sync.write(new PNG({ width: 96, height: 1100 }))),
    ),
  },
});

/** Edits the responses of all downloads. */
function inDownloads(edit: (exchange: Exchange) => Exchange): Mutation {
  return (trace) => {
    const isDownload = (one: Exchange): boolean =>
      one.request.method === 'GET' && operationOf(one.request) === null && one.response !== null;
    return trace.some(isDownload) ? trace.map((one) => (isDownload(one) ? edit(one) : one)) : null;
  };
}
