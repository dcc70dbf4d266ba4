import { printable } from '../failure/excerpt.ts';
import type { Report } from '../report.ts';

/**
 * The report as it is set in any format but JSON: control characters, line breaks and marks that turn the direction of text are
 * spelled out as `\u001b` in every text of it, whoever it comes from (the target, a configuration, a cassette or another report).
 * What a target answered (`actual`) stays a value: it is printed as JSON, and spelled out there.
 */
export function printableReport(report: Report): Report {
  return spelled(report) as Report; // as: texts become texts, all else stays
}

function spelled(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(spelled);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [printable(key), key === 'actual' ? inner : spelled(inner)]),
  );
}
