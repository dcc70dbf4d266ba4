import { Body } from '../exchange/body.ts';
import { codings } from '../exchange/content.ts';
import type { HeaderPairs, HttpRequest } from '../exchange/exchange.ts';
import type { ByteFilter, Redactor } from '../exchange/redact.ts';
import { CodedFilter } from '../exchange/redaction/coded.ts';

/** What a request body passes on its way into a cassette, and therefore on its way to be compared with one. */
export function bodyFilter(headers: HeaderPairs, redactor: Redactor): ByteFilter {
  return codings(headers).length > 0 ? new CodedFilter(headers, redactor) : redactor.stream(headers);
}

/** A request as a cassette would have kept it: known secrets, and what rules name, replaced. */
export function redacted({ method, target, headers, body }: HttpRequest, redactor: Redactor): HttpRequest {
  const safe = redactor.headers(headers);
  const filter = bodyFilter(headers, redactor);
  const bytes = Buffer.concat([filter.push(body.bytes ?? new Uint8Array(0)), filter.finish()]);
  return { method, target: redactor.target(target), headers: safe, body: Body.of(bytes) };
}
