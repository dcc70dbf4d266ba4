import type { HeaderPairs } from '../../exchange.ts';
import { mediaTypeOf } from '../../http/content.ts';
import { type ByteFilter, Replacer } from '../../redaction/filters/replacer.ts';
import { LiteralPattern } from '../../redaction/patterns/literal.ts';

/** Shorter boundaries are kept: a stand-in of their length could occur in the content. */
const SHORTEST = 20;

/** The boundary of a form that a fixed one of the same length stands in for in the cassette; null where it is kept. */
export function volatileBoundary(headers: HeaderPairs): string | null {
  const boundary = mediaTypeOf(headers)?.boundary ?? null;
  return boundary === null || boundary.length < SHORTEST ? null : boundary;
}

/** A boundary of the same length that is equal in every recording. */
export function placeholderBoundary(boundary: string): string {
  return 'assay-boundary-'.padEnd(boundary.length, '0');
}

/** Exchanges one boundary for another of the same length, in a stream, where it delimits parts. */
export function boundaryFilter(from: string, to: string): ByteFilter {
  const replacer = new Replacer();
  const encoder = new TextEncoder();
  replacer.add(
    new LiteralPattern({ bytes: encoder.encode(`\r\n--${from}`), alias: encoder.encode(`\r\n--${to}`) }),
  );
  const stream = replacer.stream();
  // The first delimiter has no line break before it: one is put there, and taken away again.
  stream.push(encoder.encode('\r\n'));
  let lead = 2;
  const cut = (bytes: Uint8Array) => {
    const rest = bytes.subarray(Math.min(lead, bytes.length));
    lead = Math.max(0, lead - bytes.length);
    return rest;
  };
  return { push: (piece) => cut(stream.push(piece)), finish: () => cut(stream.finish()) };
}

/** The same for a whole body. */
export function withBoundary(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const result = Buffer.from(bytes);
  const [old, delimiter] = [Buffer.from(`--${from}`), Buffer.from(`--${to}`)];
  const inner = Buffer.from(`\r\n--${from}`);
  if (result.subarray(0, old.length).equals(old)) delimiter.copy(result);
  for (let at = result.indexOf(inner); at !== -1; at = result.indexOf(inner, at + inner.length))
    delimiter.copy(result, at + 2);
  return result;
}

/** The same for the content type that names it. */
export function headersWithBoundary(headers: HeaderPairs, from: string, to: string): HeaderPairs {
  return headers.map(([name, value]) =>
    name.toLowerCase() === 'content-type' ? [name, value.replace(from, to)] : [name, value],
  );
}
