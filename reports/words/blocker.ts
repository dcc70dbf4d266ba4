import { printable } from '../failure/excerpt.ts';
import { plural, type Report } from '../report.ts';

/** What kept how many requirements from being judged, in one sentence without a full stop. */
export function blockerWords({
  exchange,
  exchanges = 1,
  message,
  requirements,
}: Report['blockers'][number]): string {
  const by = exchanges === 1 ? `exchange ${exchange}` : `${exchanges} exchanges, the first ${exchange}`;
  return `${plural(requirements, 'requirement')} blocked by ${by}: ${printable(message)}`;
}
