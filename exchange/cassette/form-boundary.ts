import type { HeaderPairs } from '../exchange.ts';
import { mediaTypeOf } from '../http/content.ts';
import type { ByteFilter } from '../redaction/byte-filter.ts';
import { TextPattern } from '../redaction/pattern.ts';
import { Replacer } from '../redaction/replacer.ts';

/** Minimum length of a boundary that is replaced: a shorter placeholder could occur in the content. */
const MIN_BOUNDARY_LENGTH = 20;

/** The boundary, if the cassette replaces it with a placeholder of the same length; null if it is kept or absent. */
export function volatileBoundary(headers: HeaderPairs): string | null {
  const boundary = mediaTypeOf(headers)?.boundary ?? null;
  return boundary === null || boundary.length < MIN_BOUNDARY_LENGTH ? null : boundary;
}

/** A boundary of the same length that is the same in every recording. */
export function placeholderBoundary(boundary: string): string {
  return 'assay-boundary-'.padEnd(boundary.length, '0');
}

/** A filter that replaces the boundary of a form with another of the same length. */
export function boundaryFilter(from: string, to: string): ByteFilter {
  const replacer = new Replacer();
  const encoder = new TextEncoder();
  replacer.add(
    new TextPattern({ bytes: encoder.encode(`\r\n--${from}`), alias: encoder.encode(`\r\n--${to}`) }),
  );
  const stream = replacer.stream();
  // The first delimiter has no line break before it, so one is added and removed again.
  stream.push(encoder.encode('\r\n'));
  let extraBytes = 2;
  const dropLineBreak = (bytes: Uint8Array) => {
    const rest = bytes.subarray(Math.min(extraBytes, bytes.length));
    extraBytes = Math.max(0, extraBytes - bytes.length);
    return rest;
  };
  return { push: (piece) => dropLineBreak(stream.push(piece)), finish: () => dropLineBreak(stream.finish()) };
}

export function headersWithBoundary(headers: HeaderPairs, from: string, to: string): HeaderPairs {
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'content-type' ? [name, value.replace(from, to)] : [name, value],
  );
}
