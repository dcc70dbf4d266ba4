import { isByOption } from '../../judge/verdict/cause.ts';
import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';
import { printableReport } from '../printable-report.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { scoreLine, verdictSentence } from '../verdict-words.ts';

/** Verdicts in ascending gravity; any other verdict weighs less. */
const GRAVITIES = ['inconclusive', 'error', 'warn', 'fail'];
const RANK = { pass: 0, excused: 1, warn: 2, untested: 3, inconclusive: 3, error: 3, fail: 4 } as const;
const UNDECIDED = RANK.untested;

export interface ReportChange {
  readonly id: string;
  readonly says: string;
  /** `pass → fail` or `fail in another way`, with any reason; `a → b` for a choice; the verdict if added or gone. */
  readonly how: string;
}

export interface Comparison {
  readonly before: string;
  readonly after: string;
  /** Requirements with a worse verdict or a new defect, except those in `unjudged`. */
  readonly worse: readonly ReportChange[];
  /** Requirements whose verdict improved: `fail → pass`, `untested → warn`. */
  readonly better: readonly ReportChange[];
  /** Requirements that neither report decides, with different verdicts: `untested → inconclusive`. */
  readonly other: readonly ReportChange[];
  /** Requirements that only the earlier report decides, and that failed there or are now excluded by an option. */
  readonly unjudged: readonly ReportChange[];
  readonly added: readonly ReportChange[];
  readonly gone: readonly ReportChange[];
  /** Choices for which the target took a different alternative. */
  readonly choices: readonly ReportChange[];
}

export function compareReports(earlier: Report, later: Report): Comparison {
  const [before, after] = [printableReport(earlier), printableReport(later)];
  const earlierById = new Map(before.requirements.map((requirement) => [requirement.id, requirement]));
  const laterIds = new Set(after.requirements.map(({ id }) => id));
  const inBoth = after.requirements.flatMap((requirement) => {
    const old = earlierById.get(requirement.id);
    if (old === undefined) return [];
    const cells = [old.verdict, requirement.verdict];
    return [{ cells, change: describeChange(old, requirement), direction: directionOf(old, requirement) }];
  });
  const sorted = gravestFirst(inBoth);
  const changesTo = (wanted: Direction) =>
    sorted.filter(({ direction }) => direction === wanted).map(({ change }) => change);
  return {
    before: `${verdictSentence(before)}: ${scoreLine(before)}`,
    after: `${verdictSentence(after)}: ${scoreLine(after)}`,
    worse: changesTo('worse'),
    better: changesTo('better'),
    other: changesTo('other'),
    unjudged: changesTo('unjudged'),
    added: describeUnmatched(after.requirements.filter(({ id }) => !earlierById.has(id))),
    gone: describeUnmatched(before.requirements.filter(({ id }) => !laterIds.has(id))),
    choices: compareChoices(before.choices, after.choices),
  };
}

/** Rows of equal gravity that also contain a pass come first. */
export function gravestFirst<Row extends { readonly cells: readonly (string | null)[] }>(
  rows: readonly Row[],
): readonly Row[] {
  const gravityOf = ({ cells }: Row) =>
    2 * GRAVITIES.findLastIndex((verdict) => cells.includes(verdict)) + Number(cells.includes('pass'));
  return rows.toSorted((one, other) => gravityOf(other) - gravityOf(one));
}

type Direction = 'same' | 'worse' | 'better' | 'other' | 'unjudged';

function directionOf(before: ReportedRequirement, after: ReportedRequirement): Direction {
  const from = RANK[before.verdict];
  const to = RANK[after.verdict];
  if (to === UNDECIDED) {
    if (from === UNDECIDED) return before.verdict === after.verdict ? 'same' : 'other';
    return before.verdict === 'fail' || isByOption(after.cause) ? 'unjudged' : 'worse';
  }
  if (to === from) {
    const signatures = new Set(before.findings.map(({ signature }) => signature));
    return after.verdict === 'pass' || after.findings.every(({ signature }) => signatures.has(signature))
      ? 'same'
      : 'worse';
  }
  return to > from ? 'worse' : 'better';
}

function describeChange(before: ReportedRequirement, after: ReportedRequirement): ReportChange {
  const how =
    before.verdict === after.verdict
      ? `${after.verdict} in another way`
      : `${before.verdict} → ${after.verdict}`;
  const reason = after.reason === null ? '' : ` (${after.reason})`;
  return { id: after.id, says: after.says, how: how + reason };
}

function describeUnmatched(requirements: readonly ReportedRequirement[]): ReportChange[] {
  const rows = requirements.map((requirement) => ({ cells: [requirement.verdict], requirement }));
  return gravestFirst(rows).map(({ requirement: { id, says, verdict } }) => ({ id, says, how: verdict }));
}

function compareChoices(before: readonly ChoiceVerdict[], after: readonly ChoiceVerdict[]): ReportChange[] {
  const takenBefore = new Map(before.map(({ id, taken }) => [id, taken]));
  return after.flatMap(({ id, says, taken }) => {
    const old = takenBefore.get(id) ?? [];
    if (old.length === 0 || taken.length === 0) return [];
    const from = old.toSorted().join(', ');
    const to = taken.toSorted().join(', ');
    return from === to ? [] : [{ id, says, how: `${from} → ${to}` }];
  });
}
