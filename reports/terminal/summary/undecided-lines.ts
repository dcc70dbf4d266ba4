// What could not be decided, at the end of the terminal report.

import { printable } from '../../failure/excerpt.ts';
import type { FailureContext } from '../../failure/failure.ts';
import { formatNumber, plural, type Report, type ReportedRequirement } from '../../report.ts';
import { countOthers, type OtherUndecided, undecided } from '../../undecided.ts';
import { listedIn, WHOLE, type WrittenFile } from './written-file.ts';

/** Ids that are named. */
const LISTED = 4;

/** Where names and commands come from. */
interface LineSource extends Pick<FailureContext, 'cassette'> {
  readonly written: readonly WrittenFile[];
}

/** Names what could not be decided, first what keeps the gate from a verdict, and the report that lists all. */
export function undecidedLines(report: Report, { written, cassette }: LineSource): string[] {
  const { open, others } = undecided(report);
  const total = open.length + others.length;
  if (total === 0) return [];
  // Where some are open, the names of the rest would hide them.
  const shown = (open.length > 0 ? open : others).slice(0, LISTED).map(({ id }) => printable(id));
  const all = total > shown.length ? [`${listedIn(written, WHOLE)} all ${formatNumber(total)}`] : [];
  const rest = [
    ...(open.length > shown.length ? [`and ${formatNumber(open.length - shown.length)} more`] : []),
    ...(open.length > 0 && others.length > 0 ? [restWords(report)] : []),
  ];
  return [
    `could not be decided: ${[...shown, ...rest, ...all].join(', ')}`,
    ...showLine(open.length > 0 ? open : others, cassette),
  ];
}

/** The command that prints the answers for which requirements could not be decided; none where no answer is to blame. */
function showLine(
  requirements: readonly ReportedRequirement[],
  cassette: LineSource['cassette'],
): readonly string[] {
  const ids = requirements.flatMap(({ cause }) =>
    cause !== null && 'exchange' in cause ? cause.exchange : [],
  );
  const shown = [...new Set(ids)].slice(0, LISTED);
  return cassette === null || shown.length === 0
    ? []
    : [`  what came: npx assay show ${cassette} ${shown.join(' ')}`];
}

/** The others, counted: `and 44 more (3 MUSTs accepted by the baseline, 41 because of failures)`; one part stands alone. */
function restWords(report: Report): string {
  const parts = otherParts(countOthers(report));
  if (parts.length === 1) return `and ${parts.join('')}`;
  return `and ${formatNumber(undecided(report).others.length)} more (${parts.join(', ')})`;
}

/** Those that do not keep the gate from a verdict, each with the reason: `4 MUSTs accepted by the baseline, 41 because of failures`. */
function otherParts({ byBaseline, shoulds, consequences }: OtherUndecided): readonly string[] {
  return [
    ...(byBaseline === 0 ? [] : [`${plural(byBaseline, 'MUST')} accepted by the baseline`]),
    ...(consequences === 0 ? [] : [`${formatNumber(consequences)} because of failures`]),
    ...(shoulds === 0 ? [] : [plural(shoulds, 'SHOULD')]),
  ];
}
