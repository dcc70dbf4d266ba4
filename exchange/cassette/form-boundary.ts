import type { HeaderPairs } from '../exchange.ts';
import { beginningLength } from '../http/bytes.ts';
import { mediaTypeOf } from '../http/content.ts';
import type { ByteFilter } from '../redaction/byte-filter.ts';

/** Minimum length of a boundary that is replaced: a shorter placeholder could occur in the content. */
const MIN_BOUNDARY_LENGTH = 20;

/** Null if there is no boundary, or it is not replaced because it is too short. */
export function volatileBoundary(headers: HeaderPairs): string | null {
  const boundary = mediaTypeOf(headers)?.boundary ?? null;
  return boundary === null || boundary.length < MIN_BOUNDARY_LENGTH ? null : boundary;
}

export function placeholderBoundary(boundary: string): string {
  return 'assay-boundary-'.padEnd(boundary.length, '0');
}

/** `from` and `to` have the same length. */
export function boundaryFilter(from: string, to: string): ByteFilter {
  const delimiter = Buffer.from(`\r\n--${from}`);
  const replacement = Buffer.from(`\r\n--${to}`);
  // The first delimiter has no line break before it, so the filter adds one, which it holds back or drops as a whole.
  let held = Buffer.from('\r\n');
  let added = held.length;
  return {
    push: (piece) => {
      const bytes = Buffer.concat([held, piece]);
      for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length))
        replacement.copy(bytes, at);
      const until = bytes.length - beginningLength(bytes, delimiter);
      held = bytes.subarray(until);
      const released = bytes.subarray(added, Math.max(added, until));
      if (until > 0) added = 0;
      return released;
    },
    finish: () => held.subarray(added),
  };
}

export function headersWithBoundary(headers: HeaderPairs, from: string, to: string): HeaderPairs {
  // A function, because a boundary may contain patterns such as `$&`.
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'content-type' ? [name, value.replace(from, () => to)] : [name, value],
  );
}
