import type { HeaderPairs } from '../../exchange.ts';
import { contentCodings, mediaTypeOf } from '../../http/content.ts';
import {
  ContentCodingFilter,
  MAX_DECODED_BODY_BYTES,
} from '../../redaction/filters/content-coding-filter.ts';
import { chainFilters } from '../../redaction/filters/filter-chain.ts';
import type { KnownSecrets } from '../../redaction/known-secrets.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { boundaryFilter, placeholderBoundary } from '../format/boundary.ts';
import type { RecordingHost } from '../write/recording-host.ts';
import { type BodyPlacement, BodySink } from './body-sink.ts';
import { FilteredBody } from './filtered-body.ts';

/** Larger answers are not given to `onLines`: it would have to hold them in memory. Bytes. */
export const MOST_JUDGED = 64 * 1024 * 1024;

/** The filter of a body with a content coding; null for other bodies. */
export function codedFilter(headers: HeaderPairs, redactor: Redactor): ContentCodingFilter | null {
  return contentCodings(headers).length > 0 ? new ContentCodingFilter(headers, redactor) : null;
}

/** A request body: secrets are replaced, and its boundary by one that is the same in every recording. */
export function requestBody(
  headers: HeaderPairs,
  boundary: string | null,
  coded: ContentCodingFilter | null,
  { redactor, isKept, blobs, keepRequests }: RecordingHost,
): FilteredBody {
  const plain = (source: Pick<KnownSecrets, 'stream'>) =>
    boundary === null
      ? source.stream(headers)
      : chainFilters(source.stream(headers), boundaryFilter(boundary, placeholderBoundary(boundary)));
  const delimiter =
    boundary === null ? (mediaTypeOf(headers)?.boundary ?? null) : placeholderBoundary(boundary);
  return new FilteredBody(
    {
      first: coded ?? plain(redactor),
      again: () =>
        coded === null ? plain(redactor.known) : new ContentCodingFilter(headers, redactor.known),
      isHeldBack: coded !== null,
    },
    new BodySink(isKept ? blobs : null, keepRequests, delimiter),
  );
}

/** A response body that is stored when it is whole. */
export function responseBody(
  headers: HeaderPairs,
  coded: ContentCodingFilter | null,
  { redactor, isKept, blobs }: RecordingHost,
): FilteredBody {
  const most = isKept ? Number.POSITIVE_INFINITY : MOST_JUDGED;
  return new FilteredBody(
    {
      first: coded ?? redactor.stream(headers),
      again: () =>
        coded === null ? redactor.known.stream(headers) : new ContentCodingFilter(headers, redactor.known),
      isHeldBack: coded !== null,
    },
    new BodySink(isKept ? blobs : null, coded === null ? most : MAX_DECODED_BODY_BYTES),
  );
}

/** Calls back with the placement of a body when it is known; the promise is `RESOLVED` where that is at once. */
export function whenKept(
  placement: BodyPlacement | Promise<BodyPlacement>,
  write: (body: BodyPlacement) => void,
): Promise<void> {
  if (placement instanceof Promise) return placement.then(write);
  write(placement);
  return RESOLVED;
}

/** A promise that is kept already: there is nothing to wait for. */
export const RESOLVED = Promise.resolve();
