import { printable } from '../exchange/printable.ts';
import { getOrMake } from '../schemas/maps.ts';
import type { Report } from './report.ts';

const printableReports = new WeakMap<Report, Report>();

/**
 * Escapes the texts of a report, and the names of its fields, with `printable`, for all formats but `report.json`.
 * Actual values (`actual`) stay JSON, so code that prints them must escape them.
 */
export function printableReport(report: Report): Report {
  return getOrMake(printableReports, report, () => escapeTexts(report) as Report); // as: texts become texts, all else stays
}

/** Copies only values that need escaping, because few of the thousands of requirements in a report do. */
function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (!needsEscaping(value)) return value;
  if (Array.isArray(value)) return value.map(escapeTexts);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      printable(key),
      key === 'actual' ? inner : escapeTexts(inner),
    ]),
  );
}

function needsEscaping(value: unknown): boolean {
  if (typeof value === 'string') return printable(value) !== value;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(needsEscaping);
  // `Object.entries` would take several times as long.
  const object = value as Readonly<Record<string, unknown>>; // as: it is neither null nor an array
  for (const key in object)
    if (printable(key) !== key || (key !== 'actual' && needsEscaping(object[key]))) return true;
  return false;
}
