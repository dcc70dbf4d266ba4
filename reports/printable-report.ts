import { printable } from '../exchange/printable.ts';
import { getOrMake } from '../schemas/maps.ts';
import type { Report } from './report.ts';

/** Results are kept, because several formats are written from one report. */
const printableReports = new WeakMap<Report, Report>();

/**
 * Escapes control characters, line breaks and direction marks in every text of a report, for all formats but
 * `report.json`. Actual values (`actual`) stay JSON and are escaped when printed.
 */
export function printableReport(report: Report): Report {
  return getOrMake(printableReports, report, () => escapeTexts(report) as Report); // as: texts become texts, all else stays
}

/** Copies only values that need escaping, because few of the thousands of requirements in a report do. */
function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.map(escapeTexts);
    return copy.some((inner, i) => inner !== value[i]) ? copy : value;
  }
  return escapeObject(value);
}

function escapeObject(object: object): object {
  const entries: [string, unknown][] = Object.entries(object);
  let isUnchanged = true;
  for (const entry of entries) {
    const [key, inner] = entry;
    entry[0] = printable(key);
    entry[1] = key === 'actual' ? inner : escapeTexts(inner);
    isUnchanged &&= entry[0] === key && entry[1] === inner;
  }
  return isUnchanged ? object : Object.fromEntries(entries);
}
