import { printable } from '../../exchange/printable.ts';
import { isConsequence } from '../../judge/verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict, Verdict } from '../../judge/verdict/verdict.ts';
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
import { costLine, errataLines, inconsistentChoices, unjudgedLines } from '../summary/summary.ts';
import { reasonsBesideVerdict, scoreLine, verdictSentence } from '../verdict-sentence.ts';
import { diagnosisWords } from '../words/cause.ts';
import { takenWords } from '../words/choice.ts';
import { present } from '../words/text.ts';

/** GitHub limits a comment to 65,536 characters, so that further failures are only named. */
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
      ...obviousLines(report),
      ...unjudgedLines(report),
      ...inconsistentChoices(report),
      ...hints(report),
    ]),
    ...(step === null ? [] : [escapeMarkdown(step.intro), step.command === null ? '' : fence(step.command)]),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function familyTable(report: Report): string {
  const rows = byFamily(report);
  if (rows.length === 0) return '';
  const used = COLUMNS.filter(
    (verdict) => verdict === 'pass' || rows.some(({ counts }) => counts[verdict] > 0),
  );
  return [
    `| family | operations | ${used.join(' | ')} |`,
    `| --- | ---: | ${used.map(() => '---:').join(' | ')} |`,
    ...rows.map(({ family, operations, counts }) => {
      const cells = used.map((verdict) => (counts[verdict] === 0 ? '' : String(counts[verdict])));
      return `| ${family} | ${operations.exercised}/${operations.claimed} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}

function cause(diagnosis: DiagnosisVerdict, report: Report, context: FailureContext): string[] {
  const found = causeOfFailures(diagnosis, report, context);
  if (found === null) return [];
  const { text, consequences, withoutEvidence } = found;
  const names = (all: readonly RequirementVerdict[]) => all.slice(0, NAMED).map(({ id }) => id);
  return [
    folding(text, diagnosisWords(diagnosis)),
    ...folded(consequencesTitle(consequences), names(consequences), consequences.length),
    ...folded(withoutEvidenceTitle(withoutEvidence), names(withoutEvidence), withoutEvidence.length),
  ];
}

function failures(report: Report, context: FailureContext): string[] {
  const items = brokenItems(report);
  const rest = items.slice(IN_FULL);
  const named = rest.slice(0, NAMED).map(brokenLine);
  if (rest.length > NAMED) named.push(`… and ${rest.length - NAMED} more, in the report`);
  const full = items
    .slice(0, IN_FULL)
    .flatMap((one) =>
      one.kind === 'cause' ? cause(one.diagnosis, report, context) : groupOf(one.group, context),
    );
  return [...full, list(named)];
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
  const places = alike.slice(0, NAMED).map(placeInGroup);
  return [
    folding({ ...text, id: subject }, groupWords(group)),
    ...folded(`${plural(alike.length, 'more place')} of ${subject}`, places, alike.length),
  ];
}

function tolerated(group: FailureGroup): string[] {
  const all = [group.first, ...group.alike];
  const title = `tolerated: ${group.subject} ${groupWords(group)}`;
  return folded(title, all.slice(0, NAMED).map(placeInGroup), all.length);
}

function accepted(group: AcceptedGroup): string {
  const ids = acceptedIds(group);
  const rest = ids.length - NAMED;
  const items = present(
    ...ids.slice(0, NAMED).map(codeSpan),
    rest > 0 && `… and ${rest} more, in the report`,
  );
  const title = escapeMarkdown(printable(`${acceptedCount(group)}: ${group.reason}`));
  return `<details><summary>${title}</summary>\n\n${items.map((item) => `- ${item}`).join('\n')}\n\n</details>`;
}

function undecided({ requirements }: Report): string[] {
  const open = requirements.filter(
    (one) => one.verdict === 'inconclusive' && one.baseline === null && !isConsequence(one),
  );
  const lines = open.slice(0, NAMED).map(({ id, reason }) => `${id}: ${reason ?? ''}`);
  return folded(`${plural(open.length, 'requirement')} could not be decided`, lines, open.length);
}

function choices(report: Report): string[] {
  const met = report.choices.filter(({ taken }) => taken.length > 0);
  const lines = met
    .slice(0, CHOICES)
    .map((one) => `${one.id}: ${takenWords(one).join(', ')}${one.consistent ? '' : ' (inconsistent)'}`);
  return folded(
    `${plural(met.length, 'point')} that the specification leaves open, and what ${judgedParty(report)} does`,
    lines,
    met.length,
  );
}

function folded(title: string, lines: readonly string[], count: number): string[] {
  if (lines.length === 0) return [];
  const more = count > lines.length ? [`… and ${count - lines.length} more, in the report`] : [];
  return [
    `<details><summary>${escapeMarkdown(title)}</summary>\n\n${list([...lines, ...more])}\n\n</details>`,
  ];
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

/** Backticks, which read well in the file too. */
function codeSpan(id: string): string {
  return id.includes('`') ? code(id) : `\`${printable(id)}\``;
}

/** As HTML: Markdown cannot escape a backtick. */
function code(text: string): string {
  return `<code>${escapeMarkdown(text)}</code>`;
}

/**
 * Characters with a meaning in Markdown. Underscores and `#` inside a word have none and stay readable; `#`
 * before a digit would link to an issue.
 */
const MARKDOWN = /[\\`*[\]|~@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^#|#(?=\d)/gmu;

export function escapeMarkdown(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(MARKDOWN, (character) => `&#${character.codePointAt(0)};`);
}
