// Protects all formats against control characters from a target.
import { printable } from '../schemas/excerpt.ts';
import type { Report } from './report.ts';

/**
 * The report for any format but JSON: control characters, line breaks and direction marks in every text are
 * escaped, whether it comes from the target, a configuration, a cassette or another report. Actual values
 * (`actual`) stay JSON and are escaped when printed.
 */
export function printableReport(report: Report): Report {
  const found = known.get(report) ?? (spelled(report) as Report); // as: texts become texts, all else stays
  known.set(report, found);
  return found;
}

/** Several formats are written of one report. */
const known = new WeakMap<Report, Report>();

/** A value with every text in it escaped. What needs no escape is not copied: it is nearly all of thousands of requirements. */
function spelled(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return spelledList(value);
  return spelledObject(value);
}

/** A list with every text in it escaped; the list itself where nothing in it changed. */
function spelledList(list: readonly unknown[]): readonly unknown[] {
  const copy = list.map(spelled);
  return copy.some((inner, i) => inner !== list[i]) ? copy : list;
}

/** An object with its names and the texts in it escaped; the object itself where nothing in it changed. */
function spelledObject(object: object): object {
  const entries: [string, unknown][] = Object.entries(object);
  let isPlain = true;
  for (const entry of entries) {
    const [key, inner] = entry;
    entry[0] = printable(key);
    entry[1] = key === 'actual' ? inner : spelled(inner);
    isPlain &&= entry[0] === key && entry[1] === inner;
  }
  return isPlain ? object : Object.fromEntries(entries);
}
