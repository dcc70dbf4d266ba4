import { printable } from '../../exchange/printable.ts';
import { isBroken, isConsequence } from '../../judge/verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict, Verdict } from '../../judge/verdict/verdict.ts';
import type { Comparison, ReportChange } from '../comparison/compare.ts';
import { type AcceptedGroup, acceptedCount, acceptedGroups, acceptedIds, byFamily } from '../counts.ts';
import {
  type BrokenItem,
  brokenItems,
  causeOfFailures,
  consequencesTitle,
  type FailureContext,
  type FailureGroup,
  type FailureText,
  failureText,
  groupWords,
  placeInGroup,
  plainFailure,
  toleratedGroups,
  withoutEvidenceTitle,
} from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import { judgedParty, plural, type Report } from '../report.ts';
import { hints, obviousLines } from '../summary/limits.ts';
import { nextStep } from '../summary/next-step.ts';
import {
  changedChoices,
  costLine,
  errataLines,
  inconsistentChoices,
  unjudgedLines,
  unusualChoices,
} from '../summary/summary.ts';
import { reasonsBesideVerdict, scoreLine, verdictSentence } from '../verdict-sentence.ts';
import { diagnosisWords } from '../words/cause.ts';
import { takenWords } from '../words/choice.ts';
import { code, codeSpan, escapeMarkdown, markdownTable } from '../words/markdown.ts';
import { present } from '../words/text.ts';

/** GitHub limits a comment to 65,536 characters, so further failures are only named. */
const IN_FULL = 15;
const NAMED = 100;
const CHOICES = 250;
const COLUMNS: readonly Verdict[] = ['pass', 'fail', 'warn', 'untested', 'inconclusive', 'excused', 'error'];

/** The report for a pull request comment or `$GITHUB_STEP_SUMMARY`. */
export function markdownReport(given: Report, context: FailureContext): string {
  const report = printableReport(given);
  const step = nextStep(report, context);
  const blocks = [
    `## assay: ${verdictSentence(report)}`,
    `**${scoreLine(report)}**`,
    `${code(report.target.baseUrl)} · ${costLine(report)}`,
    list(reasonsBesideVerdict(report)),
    familyTable(report),
    ...failures(report, context),
    ...toleratedGroups(report).flatMap(tolerated),
    ...acceptedGroups(report).map(accepted),
    list(errataLines(report).map((line) => `excused: ${line}`)),
    ...undecided(report),
    ...choices(report),
    list([
      ...changedChoices(report),
      ...obviousLines(report),
      ...unjudgedLines(report),
      ...unusualChoices(report),
      ...inconsistentChoices(report),
      ...hints(report, context),
    ]),
    ...(step === null ? [] : [escapeMarkdown(step.intro), step.command === null ? '' : fence(step.command)]),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/**
 * The comment on a pull request: new, fixed and remaining failures since the earlier report, or, without one, in
 * addition to those that the baseline accepts.
 */
export function pullRequestComment(
  given: Report,
  _: FailureContext,
  comparison: Comparison | null = null,
): string {
  const report = printableReport(given);
  const { fresh, fixed, still } =
    comparison === null ? sinceBaseline(report) : sinceEarlier(report, comparison);
  const blocks = [
    `### assay: ${escapeMarkdown(verdictSentence(report))}`,
    `**${scoreLine(report)}**`,
    list(reasonsBesideVerdict(report)),
    ...group(`${fresh.length} new`, fresh),
    ...group(`${fixed.length} fixed`, fixed),
    ...folded(`${still.length} still broken`, still, COMMENTED),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

interface Development {
  readonly fresh: readonly string[];
  readonly fixed: readonly string[];
  readonly still: readonly string[];
}

function sinceEarlier(report: Report, { worse, better }: Comparison): Development {
  const changed = new Set(worse.map(({ id }) => id));
  const words = ({ id, says, how }: ReportChange) => `${id}: ${says} (${how})`;
  const broken = report.requirements.filter((one) => isBroken(one) && !changed.has(one.id));
  return {
    fresh: worse.map(words),
    fixed: better.map(words),
    still: broken.map(({ id, says }) => `${id}: ${says}`),
  };
}

function sinceBaseline(report: Report): Development {
  const says = new Map(report.requirements.map((one) => [one.id, one.says]));
  const known = acceptedGroups(report).flatMap(acceptedIds);
  const gone = report.summary.causes.flatMap((one) =>
    one.kind === 'baseline' && ['passes', 'decided'].includes(one.problem.why) ? [one.problem.id] : [],
  );
  const named = (id: string) => [id, ...present(says.get(id) ?? false)].join(': ');
  return {
    fresh: brokenItems(report).map(brokenLine),
    fixed: gone.map(named),
    still: known.map(named),
  };
}

/** Lines for each group of a comment. */
const COMMENTED = 50;

function group(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`**${title}**`, list(firstOf(lines, COMMENTED))];
}

function familyTable(report: Report): string {
  const rows = byFamily(report);
  if (rows.length === 0) return '';
  const used = COLUMNS.filter(
    (verdict) => verdict === 'pass' || rows.some(({ counts }) => counts[verdict] > 0),
  );
  return markdownTable(
    ['family', 'operations', ...used],
    rows.map(({ family, operations, counts }) => [
      family,
      `${operations.exercised}/${operations.claimed}`,
      ...used.map((verdict) => (counts[verdict] === 0 ? '' : String(counts[verdict]))),
    ]),
    '---:',
  );
}

function cause(diagnosis: DiagnosisVerdict, report: Report, context: FailureContext): string[] {
  const found = causeOfFailures(diagnosis, report, context);
  if (found === null) return [];
  const { text, consequences, withoutEvidence } = found;
  const ids = (all: readonly RequirementVerdict[]) => all.map(({ id }) => id);
  return [
    folding(text, diagnosisWords(diagnosis)),
    ...folded(consequencesTitle(consequences), ids(consequences)),
    ...folded(withoutEvidenceTitle(withoutEvidence), ids(withoutEvidence)),
  ];
}

function failures(report: Report, context: FailureContext): string[] {
  const items = brokenItems(report);
  const full = items
    .slice(0, IN_FULL)
    .flatMap((one) =>
      one.kind === 'cause' ? cause(one.diagnosis, report, context) : groupOf(one.group, context),
    );
  return [...full, list(firstOf(items.slice(IN_FULL).map(brokenLine)))];
}

function brokenLine(item: BrokenItem): string {
  if (item.kind === 'cause')
    return `${item.diagnosis.operations[0]?.id ?? item.diagnosis.feature}: ${diagnosisWords(item.diagnosis)}`;
  const { group } = item;
  return group.shape === null
    ? `${group.first.id}: ${group.first.says}`
    : `${group.subject} ${groupWords(group)}`;
}

/** A group with its first failure in full, and the places of the others. */
function groupOf(group: FailureGroup, context: FailureContext): string[] {
  const { first, alike, shape, subject } = group;
  const text = failureText(first, context);
  if (shape === null) return [folding(text, text.says)];
  return [
    folding({ ...text, id: subject }, groupWords(group)),
    ...folded(`${plural(alike.length, 'more place')} of ${subject}`, alike.map(placeInGroup)),
  ];
}

function tolerated(group: FailureGroup): string[] {
  const title = `tolerated: ${group.subject} ${groupWords(group)}`;
  return folded(title, [group.first, ...group.alike].map(placeInGroup));
}

function accepted(group: AcceptedGroup): string {
  const items = firstOf(acceptedIds(group).map(codeSpan)).map((item) => `- ${item}`);
  const title = escapeMarkdown(printable(`${acceptedCount(group)}: ${group.reason}`));
  return `<details><summary>${title}</summary>\n\n${items.join('\n')}\n\n</details>`;
}

function undecided({ requirements }: Report): string[] {
  const open = requirements.filter(
    (one) => one.verdict === 'inconclusive' && one.baseline === null && !isConsequence(one),
  );
  const lines = open.map(({ id, reason }) => `${id}: ${reason ?? ''}`);
  return folded(`${plural(open.length, 'requirement')} could not be decided`, lines);
}

function choices(report: Report): string[] {
  const met = report.choices.filter(({ taken }) => taken.length > 0);
  const lines = met.map(
    (one) => `${one.id}: ${takenWords(one).join(', ')}${one.consistent ? '' : ' (inconsistent)'}`,
  );
  return folded(
    `${plural(met.length, 'point')} that the specification leaves open, and what ${judgedParty(report)} does`,
    lines,
    CHOICES,
  );
}

function folded(title: string, lines: readonly string[], most = NAMED): string[] {
  if (lines.length === 0) return [];
  const shown = list(firstOf(lines, most));
  return [`<details><summary>${escapeMarkdown(title)}</summary>\n\n${shown}\n\n</details>`];
}

function firstOf(lines: readonly string[], most = NAMED): readonly string[] {
  const rest = lines.length - most;
  return present(...lines.slice(0, most), rest > 0 && `… and ${rest} more, in the report`);
}

/** Text of the target is in a code fence. */
function folding(text: FailureText, says: string): string {
  const head = `<summary><b>${text.word}</b> <code>${escapeMarkdown(text.id)}</code> ${escapeMarkdown(says)}</summary>`;
  return `<details>${head}\n\n${fence(plainFailure(text))}\n\n</details>`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${escapeMarkdown(printable(line))}`).join('\n');
}

/** A fence longer than any run of backticks in the body, so that nothing closes it early. */
function fence(body: string): string {
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}text\n${body}\n${ticks}`;
}
