// Protects all formats against control characters from a target.
import { printable } from '../failure/excerpt.ts';
import type { Report } from '../report.ts';

/**
 * The report for any format but JSON: control characters, line breaks and direction marks in every text are
 * escaped, whether it comes from the target, a configuration, a cassette or another report. Actual values
 * (`actual`) stay JSON and are escaped when printed.
 */
export function printableReport(report: Report): Report {
  return spelled(report) as Report; // as: texts become texts, all else stays
}

/** A value with every text in it escaped. */
function spelled(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(spelled);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [printable(key), key === 'actual' ? inner : spelled(inner)]),
  );
}
