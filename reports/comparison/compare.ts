import { printable } from '../../exchange/printable.ts';
import { isByOption } from '../../judge/verdict/cause.ts';
import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';
import { printableReport } from '../printable-report.ts';
import { type Report, type ReportedRequirement, scoreLine, verdictSentence } from '../report.ts';
import type { Colours } from '../words/layout.ts';
import { firstOf } from '../words/text.ts';

/** One changed requirement or choice. */
export interface ReportChange {
  /** Id of the requirement or choice. */
  readonly id: string;
  /** The requirement or choice as a sentence. */
  readonly says: string;
  /** `pass → fail`, with the reason in parentheses; for an added or gone requirement, its verdict. */
  readonly how: string;
}

export interface Comparison {
  /** Verdict and score of the earlier report, on one line. */
  readonly before: string;
  /** Verdict and score of the later report, on one line. */
  readonly after: string;
  /** Newly broken, broken in a new way, or no longer decidable although it was. */
  readonly worse: readonly ReportChange[];
  /** Requirements whose verdict improved: `fail → pass`, `untested → warn`. */
  readonly better: readonly ReportChange[];
  /** Changed, but not judged in either report. */
  readonly other: readonly ReportChange[];
  /** Judged before, not judged now: filtered out, or a failure without evidence this time. */
  readonly unjudged: readonly ReportChange[];
  /** Requirements that only the later report lists. */
  readonly added: readonly ReportChange[];
  /** Requirements that only the earlier report lists. */
  readonly gone: readonly ReportChange[];
  /** Choices for which the target took a different alternative. */
  readonly choices: readonly ReportChange[];
}

/** Compares two reports. A requirement that still fails counts as worse only if it has a new defect. */
export function compareReports(earlier: Report, later: Report): Comparison {
  const [before, after] = [printableReport(earlier), printableReport(later)];
  const old = new Map(before.requirements.map((one) => [one.id, one]));
  const now = new Map(after.requirements.map((one) => [one.id, one]));
  const both = [...now.values()].flatMap((one) => {
    const other = old.get(one.id);
    return other === undefined ? [] : [{ change: change(other, one), way: directionOf(other, one) }];
  });
  const going = (wanted: Way) => both.filter((one) => one.way === wanted).map((one) => one.change);
  return {
    before: `${verdictSentence(before)}: ${scoreLine(before)}`,
    after: `${verdictSentence(after)}: ${scoreLine(after)}`,
    worse: going('worse'),
    better: going('better'),
    other: going('other'),
    unjudged: going('unjudged'),
    added: [...now.values()].filter(({ id }) => !old.has(id)).map((one) => unmatchedChange(one)),
    gone: [...old.values()].filter(({ id }) => !now.has(id)).map((one) => unmatchedChange(one)),
    choices: otherChoices(before.choices, after.choices),
  };
}

type Way = 'same' | 'worse' | 'better' | 'other' | 'unjudged';

/** Rank of each verdict, the best first; rank 3 means that there is no verdict. */
const RANK = { pass: 0, excused: 1, warn: 2, untested: 3, inconclusive: 3, error: 3, fail: 4 } as const;

function directionOf(before: ReportedRequirement, after: ReportedRequirement): Way {
  const from = RANK[before.verdict];
  const to = RANK[after.verdict];
  // Without a verdict a change is neither better nor worse, except that losing evidence is worse.
  if (to === 3) {
    if (from === 3) return before.verdict === after.verdict ? 'same' : 'other';
    return from === 4 || isByOption(after.cause) ? 'unjudged' : 'worse';
  }
  if (to === from) {
    const known = new Set(before.findings.map(({ signature }) => signature));
    return to === 0 || after.findings.every(({ signature }) => known.has(signature)) ? 'same' : 'worse';
  }
  return to > from ? 'worse' : 'better';
}

function change(before: ReportedRequirement, after: ReportedRequirement): ReportChange {
  const how =
    before.verdict === after.verdict
      ? `${after.verdict} in another way`
      : `${before.verdict} → ${after.verdict}`;
  const reason = after.reason === null ? '' : ` (${printable(after.reason)})`;
  return { id: after.id, says: after.says, how: how + reason };
}

function unmatchedChange({ id, says, verdict }: ReportedRequirement): ReportChange {
  return { id, says, how: verdict };
}

function otherChoices(before: readonly ChoiceVerdict[], after: readonly ChoiceVerdict[]): ReportChange[] {
  const old = new Map(before.map((one) => [one.id, one.taken]));
  return after.flatMap(({ id, says, taken }) => {
    const was = old.get(id);
    if (was === undefined || was.length === 0 || taken.length === 0) return [];
    const [from, to] = [was.toSorted().join(', '), taken.toSorted().join(', ')];
    return from === to ? [] : [{ id, says, how: printable(`${from} → ${to}`) }];
  });
}

const SHOWN = 50;

/** The groups of changes, most important first, as the page and `assay compare` show them. */
export const CHANGE_GROUPS = [
  { group: 'worse', title: 'worse', colour: 'red', look: 'fail' },
  { group: 'better', title: 'better', colour: 'green', look: 'pass' },
  { group: 'unjudged', title: 'no longer judged', colour: 'yellow', look: 'warn' },
  { group: 'other', title: 'changed, neither better nor worse', colour: 'dim', look: '' },
  { group: 'choices', title: 'other choice taken', colour: 'cyan', look: '' },
  { group: 'gone', title: 'requirements gone', colour: 'dim', look: '' },
  { group: 'added', title: 'new requirements', colour: 'dim', look: '' },
] as const;

/** The text of `assay compare` for a terminal. The worst comes last, next to the prompt. */
export function comparisonText(comparison: Comparison, paint: Colours): string {
  const { added, gone, unjudged, better, worse } = comparison;
  const sections = CHANGE_GROUPS.toReversed().map(({ group, title, colour }) =>
    section(title, comparison[group], paint[colour]),
  );
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

function section(title: string, changes: readonly ReportChange[], colour: Colours['red']): string[] {
  if (changes.length === 0) return [];
  const lines = changes.map(({ id, how, says }) => `  ${how.padEnd(16)}  ${id}  ${says}`);
  const shown = firstOf(lines, SHOWN, (rest) => `  … and ${rest} more`);
  return [colour(`${title} (${changes.length})`), ...shown, ''];
}

const NAMED = 4;

/** Counts and first changes since an earlier report, for the terminal; `assay compare` lists more. */
export function changeLines(comparison: Comparison | null): string[] {
  if (comparison === null) return [];
  const { worse, better, unjudged, choices } = comparison;
  return [
    `since the earlier report: ${worse.length} worse, ${better.length} better, ${unjudged.length} no longer judged`,
    ...changedIds('worse', worse),
    ...changedIds('better', better),
    ...changedIds(
      'other choice taken',
      choices.map((one) => ({ ...one, id: `${one.id} (${one.how})` })),
    ),
  ];
}

function changedIds(word: string, all: Comparison['worse']): string[] {
  if (all.length === 0) return [];
  const ids = all.map(({ id }) => printable(id));
  return [`  ${word}: ${firstOf(ids, NAMED, (rest) => `and ${rest} more`).join(', ')}`];
}
