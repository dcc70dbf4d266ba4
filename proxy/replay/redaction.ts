import { MAX_KEPT_REQUEST_BYTES } from '../../exchange/cassette/recording.ts';
import type { HttpRequest } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { BodyDigest } from '../../exchange/http/body-digest.ts';
import { filterWhole } from '../../exchange/redaction/byte-filter.ts';
import { createSentBodyFilter } from '../../exchange/redaction/compressed-body.ts';
import type { Redactor, RedactorOptions } from '../../exchange/redaction/redactor.ts';
import type { RedactionRule } from '../../exchange/redaction/rules.ts';
import type { TraceHeader } from '../../exchange/trace.ts';

type Header = Pick<TraceHeader, 'redact'>;

/** The rules as the header stores them: pointers in full, but only the number of patterns, which may be secrets. */
export function recordedRules({ rules = [], keepFields = false }: RedactorOptions): Header {
  if (rules.length === 0 && !keepFields) return {};
  const pointers = pointersOf(rules);
  const fields = keepFields ? ({ fields: 'kept' } as const) : {};
  return { redact: { pointers, patterns: rules.length - pointers.length, ...fields } };
}

/** Adds the pointers that all cassettes share, and `keepFields` if all have it; patterns are not in their headers. */
export function withRules(headers: readonly Header[], given: RedactorOptions = {}): RedactorOptions {
  const [first, ...others] = headers.map(({ redact }) => redact?.pointers ?? []);
  const ownRules = given.rules ?? [];
  const shared = (first ?? []).filter((pointer) => others.every((pointers) => pointers.includes(pointer)));
  const added = shared.filter((pointer) => !pointersOf(ownRules).includes(pointer));
  const keepFields = headers.length > 0 && headers.every(({ redact }) => redact?.fields === 'kept');
  const options = keepFields ? { ...given, keepFields } : given;
  if (added.length === 0) return options;
  return { ...options, rules: [...ownRules, ...added.map((pointer) => ({ pointer }))] };
}

/** The recorded rules that are not given now, as a phrase that follows "was"; null if none is known to be missing. */
export function describeMissingRules(
  headers: readonly Header[],
  { rules = [] }: RedactorOptions,
): string | null {
  const givenPointers = pointersOf(rules);
  const recorded = new Set(headers.flatMap(({ redact }) => redact?.pointers ?? []));
  const pointers = [...recorded].filter((pointer) => !givenPointers.includes(pointer));
  const recordedPatterns = Math.max(0, ...headers.map(({ redact }) => redact?.patterns ?? 0));
  const patterns = recordedPatterns - (rules.length - givenPointers.length);
  const missing = pointers.map((pointer) => `pointer:${pointer}`);
  if (patterns > 0) missing.push(`${patternWords(patterns)} whose text was not kept, as it may be a secret`);
  return missing.length === 0 ? null : `recorded with --redact (${missing.join(', ')}): use the same rules`;
}

/** The given rules that a recording was made without, as a phrase that follows "was"; null if there are none. */
export function describeAddedRules(
  { redact }: Header,
  { rules = [], keepFields }: RedactorOptions,
): string | null {
  if (keepFields === true && redact?.fields !== 'kept') return 'recorded without --keep-fields';
  const givenPointers = pointersOf(rules);
  const pointers = givenPointers.filter((pointer) => redact?.pointers.includes(pointer) !== true);
  const patterns = rules.length - givenPointers.length - (redact?.patterns ?? 0);
  const added = pointers.map((pointer) => `pointer:${pointer}`);
  if (patterns > 0) added.push(patternWords(patterns));
  return added.length === 0 ? null : `recorded without --redact (${added.join(', ')})`;
}

function patternWords(count: number): string {
  return count === 1 ? 'a pattern' : `${count} patterns`;
}

function pointersOf(rules: readonly RedactionRule[]): readonly string[] {
  return rules.flatMap((rule) => ('pointer' in rule ? [rule.pointer] : []));
}

/** Redacts a request as a cassette stores it: a body of more than 16 MiB as its digest and form parts. */
export function redactRequest(
  { method, target, headers, body }: HttpRequest,
  redactor: Redactor,
): HttpRequest {
  const redactedHeaders = redactor.redactHeaders(headers);
  const bytes = filterWhole(createSentBodyFilter(headers, redactor), body.bytes ?? new Uint8Array(0));
  const digest = bytes.length > MAX_KEPT_REQUEST_BYTES ? new BodyDigest(headers) : null;
  digest?.push(bytes);
  const storedBody = digest?.finish() ?? Body.from(bytes);
  return { method, target: redactor.redactTarget(target), headers: redactedHeaders, body: storedBody };
}
