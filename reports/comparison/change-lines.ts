import { printable } from '../failure/excerpt.ts';
import type { Comparison } from './compare.ts';

/** Ids of one kind that are named; more are counted. */
const NAMED = 4;

/** How much changed since an earlier report, and the first changes; the page and `assay compare` list all. */
export function changeLines(comparison: Comparison | null): string[] {
  if (comparison === null) return [];
  const { worse, better, unjudged, choices } = comparison;
  return [
    `since the earlier report: ${worse.length} worse, ${better.length} better, ${unjudged.length} no longer judged`,
    ...changedIds('worse', worse),
    ...changedIds('better', better),
    ...changedIds('other choice taken', choices),
  ];
}

/** Some ids of one kind of change on a line; nothing for none. */
function changedIds(word: string, all: Comparison['worse']): string[] {
  if (all.length === 0) return [];
  const rest = all.length - NAMED;
  const ids = all.slice(0, NAMED).map(({ id }) => printable(id));
  return [`  ${word}: ${[...ids, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ')}`];
}
