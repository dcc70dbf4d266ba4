// Compares two reports for `assay compare`, requirement by requirement.
import { isByOption } from '../../judge/verdict/cause.ts';
import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';
import { printable } from '../../schemas/excerpt.ts';
import { printableReport } from '../printable-report.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { scoreLine, verdictSentence } from '../verdict-sentence.ts';
import type { Colours } from '../words/layout.ts';

/** The change of one requirement or choice; `how` in words: `pass → fail`. */
export interface ReportChange {
  readonly id: string;
  readonly says: string;
  readonly how: string;
}

/** Two reports of the same target, or of two, set side by side. */
export interface Comparison {
  /** Verdict and score of the first report, in words. */
  readonly before: string;
  readonly after: string;
  /** Newly broken, broken in another way, or no longer judged though it was. */
  readonly worse: readonly ReportChange[];
  /** Less severe than before. */
  readonly better: readonly ReportChange[];
  /** Moved, but neither way: it was not judged before either. */
  readonly other: readonly ReportChange[];
  /** Judged before, and now not: options left it out, or what was broken found no evidence. */
  readonly unjudged: readonly ReportChange[];
  /** Only in the second report. */
  readonly added: readonly ReportChange[];
  /** Only in the first. */
  readonly gone: readonly ReportChange[];
  /** Points left open that the target answers in another way now. */
  readonly choices: readonly ReportChange[];
}

/** Compares two reports. A requirement that still fails is worse only if it shows a new defect. */
export function compareReports(earlier: Report, later: Report): Comparison {
  const [before, after] = [printableReport(earlier), printableReport(later)];
  const old = new Map(before.requirements.map((one) => [one.id, one]));
  const now = new Map(after.requirements.map((one) => [one.id, one]));
  const both = [...now.values()].flatMap((one) => {
    const other = old.get(one.id);
    return other === undefined ? [] : [{ change: change(other, one), way: way(other, one) }];
  });
  const going = (wanted: Way) => both.filter((one) => one.way === wanted).map((one) => one.change);
  return {
    before: `${verdictSentence(before)}: ${scoreLine(before)}`,
    after: `${verdictSentence(after)}: ${scoreLine(after)}`,
    worse: going('worse'),
    better: going('better'),
    other: going('other'),
    unjudged: going('unjudged'),
    added: [...now.values()].filter(({ id }) => !old.has(id)).map((one) => alone(one)),
    gone: [...old.values()].filter(({ id }) => !now.has(id)).map((one) => alone(one)),
    choices: otherChoices(before.choices, after.choices),
  };
}

/** Direction of a change. */
type Way = 'same' | 'worse' | 'better' | 'other' | 'unjudged';

/** Order of verdicts; those of rank 3 were not judged. */
const RANK = { pass: 0, excused: 1, warn: 2, untested: 3, inconclusive: 3, error: 3, fail: 4 } as const;

/** The direction in which a requirement moved. */
function way(before: ReportedRequirement, after: ReportedRequirement): Way {
  const from = RANK[before.verdict];
  const to = RANK[after.verdict];
  // A lost verdict has no direction, unless evidence was lost that the earlier run had.
  if (to === 3) {
    if (from === 3) return before.verdict === after.verdict ? 'same' : 'other';
    // A failure that is no longer judged is not fixed; a pass that can no longer be judged is worse.
    return from === 4 || isByOption(after.cause) ? 'unjudged' : 'worse';
  }
  if (to === from) return to === 0 || sameDefects(before, after) ? 'same' : 'worse';
  return to > from ? 'worse' : 'better';
}

/** True when the second shows no defect that the first did not. */
function sameDefects(before: ReportedRequirement, after: ReportedRequirement): boolean {
  const known = new Set(before.findings.map(({ signature }) => signature));
  return after.findings.every(({ signature }) => known.has(signature));
}

/** The change in words, with the reason where the second report has one. */
function change(before: ReportedRequirement, after: ReportedRequirement): ReportChange {
  const how =
    before.verdict === after.verdict
      ? `${after.verdict} in another way`
      : `${before.verdict} → ${after.verdict}`;
  const reason = after.reason === null ? '' : ` (${printable(after.reason)})`;
  return { id: after.id, says: after.says, how: how + reason };
}

/** A requirement that only one of the reports has. */
function alone({ id, says, verdict }: ReportedRequirement): ReportChange {
  return { id, says, how: verdict };
}

/** Choices that both reports show, with different alternatives. */
function otherChoices(before: readonly ChoiceVerdict[], after: readonly ChoiceVerdict[]): ReportChange[] {
  const old = new Map(before.map((one) => [one.id, one.taken]));
  return after.flatMap(({ id, says, taken }) => {
    const was = old.get(id);
    if (was === undefined || was.length === 0 || taken.length === 0) return [];
    const [from, to] = [was.toSorted().join(', '), taken.toSorted().join(', ')];
    return from === to ? [] : [{ id, says, how: printable(`${from} → ${to}`) }];
  });
}

/** Lines shown of one heading. */
const SHOWN = 50;

/** The comparison for a terminal; what is worse comes last, where it is read first. */
export function comparisonText(comparison: Comparison, paint: Colours): string {
  const { added, gone, choices, other, unjudged, better, worse } = comparison;
  const sections = [
    section('new requirements', added, paint.dim),
    section('requirements gone', gone, paint.dim),
    section('other choice taken', choices, paint.cyan),
    section('changed, neither better nor worse', other, paint.dim),
    section('no longer judged', unjudged, paint.yellow),
    section('better', better, paint.green),
    section('worse', worse, paint.red),
  ];
  const counts = [
    `${worse.length} worse`,
    `${better.length} better`,
    `${unjudged.length} no longer judged`,
    `${added.length} new`,
    `${gone.length} gone`,
  ];
  return [
    ...sections.flat(),
    `before  ${comparison.before}`,
    `after   ${comparison.after}`,
    paint.bold(counts.join(', ')),
    '',
  ].join('\n');
}

/** A heading with its number of changes, and the first of them; nothing for an empty list. */
function section(
  title: string,
  changes: readonly ReportChange[],
  colour: (text: string) => string,
): string[] {
  if (changes.length === 0) return [];
  const lines = changes.slice(0, SHOWN).map(({ id, how, says }) => `  ${how.padEnd(16)}  ${id}  ${says}`);
  if (changes.length > SHOWN) lines.push(`  … and ${changes.length - SHOWN} more`);
  return [colour(`${title} (${changes.length})`), ...lines, ''];
}

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
