import type { HeaderPairs, HttpRequest } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { contentCodings } from '../../exchange/http/content.ts';
import { ContentCodingFilter } from '../../exchange/redaction/compressed-body.ts';
import type { ByteFilter, Redactor } from '../../exchange/redaction/redactor.ts';

/** The filter of request bodies on their way into a cassette, and therefore also before they are compared with one. */
export function requestBodyFilter(headers: HeaderPairs, redactor: Redactor): ByteFilter {
  return contentCodings(headers).length > 0
    ? new ContentCodingFilter(headers, redactor)
    : redactor.stream(headers);
}

/** A request as a cassette stores it: known secrets, and values named by rules, are replaced. */
export function redactedRequest(
  { method, target, headers, body }: HttpRequest,
  redactor: Redactor,
): HttpRequest {
  const safe = redactor.headers(headers);
  const filter = requestBodyFilter(headers, redactor);
  const bytes = Buffer.concat([filter.push(body.bytes ?? new Uint8Array(0)), filter.finish()]);
  return { method, target: redactor.target(target), headers: safe, body: Body.of(bytes) };
}
