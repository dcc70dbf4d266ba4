import { printable } from '../../exchange/printable.ts';
import { isBroken, isConsequence } from '../../judge/verdict/failure-count.ts';
import type { Verdict } from '../../judge/verdict/verdict.ts';
import { compact, firstOf, plural } from '../../schemas/message-text.ts';
import { type AcceptedGroup, acceptedCountWords, acceptedGroups, acceptedIds } from '../accepted-groups.ts';
import type { Comparison, ReportChange } from '../comparison/compare.ts';
import {
  type BrokenItem,
  brokenItems,
  itemLine,
  itemText,
  placeInGroup,
  toleratedItems,
} from '../failure/broken-items.ts';
import { type FailureContext, plainFailure } from '../failure/failure.ts';
import { listFamilies } from '../families.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { changedChoices, inconsistentChoices, takenWords, unusualChoices } from '../summary/choices.ts';
import { hints } from '../summary/hints.ts';
import { missingCapabilityLines } from '../summary/missing-capabilities.ts';
import { nextStep } from '../summary/next-step.ts';
import { costLine, errataLines } from '../summary/summary.ts';
import { unjudgedLines } from '../summary/unjudged.ts';
import { furtherReasons, judgedParty, scoreLine, verdictSentence } from '../verdict-words.ts';
import { codeSpan, escapeMarkdown, htmlCode, markdownTable } from '../words/markdown.ts';

/** Failures shown in full; further ones are only named, because a comment on GitHub has at most 65,536 characters. */
const MAX_IN_FULL = 15;
const MAX_NAMED = 100;
const MAX_CHOICES = 250;
const VERDICTS: readonly Verdict[] = ['pass', 'fail', 'warn', 'untested', 'inconclusive', 'excused', 'error'];
const MAX_COMMENT_LINES = 50;

export function markdownReport(rawReport: Report, context: FailureContext): string {
  const report = printableReport(rawReport);
  const step = nextStep(report, context);
  const blocks = [
    `## assay: ${verdictSentence(report)}`,
    `**${scoreLine(report)}**`,
    `${htmlCode(report.target.baseUrl)} · ${costLine(report)}`,
    list(furtherReasons(report)),
    familyTable(report),
    ...failureBlocks(report, context),
    ...toleratedItems(report).flatMap(toleratedBlock),
    ...acceptedGroups(report).map(acceptedBlock),
    list(errataLines(report).map((line) => `excused: ${line}`)),
    ...undecidedBlock(report),
    ...choicesBlock(report),
    list([
      ...changedChoices(report),
      ...missingCapabilityLines(report),
      ...unjudgedLines(report),
      ...unusualChoices(report),
      ...inconsistentChoices(report),
      ...hints(report, context),
    ]),
    ...(step === null ? [] : [escapeMarkdown(step.intro), step.command === null ? '' : fence(step.command)]),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** The comment on a pull request compares with the earlier report or, without one, with the baseline. */
export function pullRequestComment(rawReport: Report, comparison: Comparison | null = null): string {
  const report = printableReport(rawReport);
  const blocks = [
    `### assay: ${escapeMarkdown(verdictSentence(report))}`,
    `**${scoreLine(report)}**`,
    list(furtherReasons(report)),
    ...(comparison === null ? sinceBaseline(report) : sinceEarlier(report, comparison)),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** A worse requirement need not be a new failure, nor a better one fixed: `pass → untested`, `fail → warn`. */
function sinceEarlier(report: Report, { worse, better }: Comparison): string[] {
  const listed = new Set([...worse, ...better].map(({ id }) => id));
  const describe = ({ id, says, how }: ReportChange) => `${id}: ${says} (${how})`;
  const others = report.requirements.filter((one) => isBroken(one) && !listed.has(one.id));
  const lines = others.map(({ id, says }) => `${id}: ${says}`);
  return [
    ...titledList(`${worse.length} worse`, worse.map(describe)),
    ...titledList(`${better.length} better`, better.map(describe)),
    ...foldedList(plural(others.length, 'other failure'), lines, MAX_COMMENT_LINES),
  ];
}

function sinceBaseline(report: Report): string[] {
  const sentences = new Map(report.requirements.map((one) => [one.id, one.says]));
  const withSentence = (id: string) => [id, ...compact(sentences.get(id) ?? false)].join(': ');
  const staleEntries = (why: 'passes' | 'decided') =>
    report.summary.causes.flatMap((one) =>
      one.kind === 'baseline' && one.problem.why === why ? [withSentence(one.problem.id)] : [],
    );
  const [fixed, decided] = [staleEntries('passes'), staleEntries('decided')];
  const fresh = brokenItems(report).map(itemLine);
  const groups = acceptedGroups(report);
  const broken = groups
    .flatMap(({ failures, causes }) => [...failures.map(({ id }) => id), ...causes])
    .map(withSentence);
  const undecided = groups.flatMap((one) => one.undecided.map(({ id }) => withSentence(id)));
  return [
    ...titledList(`${fresh.length} new`, fresh),
    ...titledList(`${fixed.length} fixed`, fixed),
    ...titledList(`${decided.length} decided`, decided),
    ...foldedList(`${broken.length} still broken`, broken, MAX_COMMENT_LINES),
    ...foldedList(`${undecided.length} still not decided`, undecided, MAX_COMMENT_LINES),
  ];
}

function titledList(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`**${title}**`, list(shorten(lines, MAX_COMMENT_LINES))];
}

function familyTable(report: Report): string {
  const rows = listFamilies(report);
  if (rows.length === 0) return '';
  const usedColumns = VERDICTS.filter(
    (verdict) => verdict === 'pass' || rows.some(({ counts }) => counts[verdict] > 0),
  );
  return markdownTable(
    ['family', 'operations', ...usedColumns],
    rows.map(({ family, operations, counts }) => [
      family,
      `${operations.exercised}/${operations.claimed}`,
      ...usedColumns.map((verdict) => (counts[verdict] === 0 ? '' : String(counts[verdict]))),
    ]),
    '---:',
  );
}

function failureBlocks(report: Report, context: FailureContext): string[] {
  const items = brokenItems(report);
  return [
    ...items.slice(0, MAX_IN_FULL).flatMap((one) => failureBlock(one, context)),
    list(shorten(items.slice(MAX_IN_FULL).map(itemLine))),
  ];
}

function failureBlock(item: BrokenItem, context: FailureContext): string[] {
  const { alike, cause } = item;
  return [
    foldedFailure(item, context),
    ...(cause?.further ?? []).flatMap(({ title, requirements }) =>
      foldedList(
        `${title}:`,
        requirements.map(({ id }) => id),
      ),
    ),
    ...foldedList(`${plural(alike.length, 'more place')} of ${item.subject}`, alike.map(placeInGroup)),
  ];
}

function toleratedBlock(item: BrokenItem): string[] {
  return foldedList(`tolerated: ${itemLine(item)}`, [item.first, ...item.alike].map(placeInGroup));
}

function acceptedBlock(group: AcceptedGroup): string {
  const items = shorten(acceptedIds(group).map(codeSpan)).map((item) => `- ${item}`);
  const title = escapeMarkdown(printable(`${acceptedCountWords(group)}: ${group.reason}`));
  return `<details><summary>${title}</summary>\n\n${items.join('\n')}\n\n</details>`;
}

function undecidedBlock({ requirements }: Report): string[] {
  const open = requirements.filter(
    (one) => one.verdict === 'inconclusive' && one.baseline === null && !isConsequence(one),
  );
  const lines = open.map(({ id, reason }) => `${id}: ${reason ?? ''}`);
  return foldedList(`${plural(open.length, 'requirement')} could not be decided`, lines);
}

function choicesBlock(report: Report): string[] {
  const observed = report.choices.filter(({ taken }) => taken.length > 0);
  const lines = observed.map(
    (one) => `${one.id}: ${takenWords(one).join(', ')}${one.consistent ? '' : ' (inconsistent)'}`,
  );
  return foldedList(
    `${plural(observed.length, 'point')} that the specification leaves open, and what ${judgedParty(report)} does`,
    lines,
    MAX_CHOICES,
  );
}

function foldedList(title: string, lines: readonly string[], max = MAX_NAMED): string[] {
  if (lines.length === 0) return [];
  const shown = list(shorten(lines, max));
  return [`<details><summary>${escapeMarkdown(title)}</summary>\n\n${shown}\n\n</details>`];
}

function shorten(lines: readonly string[], max = MAX_NAMED): readonly string[] {
  return firstOf(lines, max, (hidden) => `… and ${hidden} more`);
}

function foldedFailure(item: BrokenItem, context: FailureContext): string {
  const text = itemText(item, context);
  const head = `<summary><b>${text.word}</b> <code>${escapeMarkdown(item.subject)}</code> ${escapeMarkdown(item.says)}</summary>`;
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
